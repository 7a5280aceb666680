import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pollUntil, serverEntry, startProcess, type TestProcess } from '#libs/testing';

describe('npm start -- --demo', () => {
  let folder: string;
  let demo: TestProcess | null = null;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-demo-'));
  });
  afterEach(async () => {
    await demo?.kill();
    demo = null;
    rmSync(folder, { recursive: true, force: true });
  });

  function start(...args: string[]): TestProcess {
    const env = { JOBWARDEN_HTTP_PORT: '0', JOBWARDEN_DATA_DIR: folder };
    demo = startProcess({ entry: serverEntry, args, env });
    return demo;
  }

  it('finds each of the four troubles, deals with it, says where to look, and ends with 0', async () => {
    const service = start('--demo', '--once');
    const { code } = await service.exited;
    const output = service.output();
    expect(code, output).toBe(0);

    const base = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? 'no address';
    const told = (...lines: string[]) => expect(output).toMatch(new RegExp(lines.join('[^]*'), 'u'));
    const see = (path: string) => `see ${base}/${path}`.replaceAll('?', '\\?');
    const seeJob = (id: string) => see(`jobs/one?namespace=default&queue=demo&id=${id}`);
    told('TROUBLE  email-to-ada: .* killed with -9', 'FOUND    email-to-ada: lost', seeJob('email-to-ada'));
    told('FOUND    email-to-ada', 'DONE     email-to-ada: requeued: attempt 2', 'BACK     email-to-ada');
    told('TROUBLE  video-of-the-party', 'FOUND    video-of-the-party: hung', seeJob('video-of-the-party'));
    told('FOUND    video-of-the-party', 'DONE     video-of-the-party: requeued: attempt 2', 'BACK     video-of-the-party: succeeded');
    told(...[1, 2, 3].flatMap((n) => [`TROUBLE  thumbnail-of-a-bomb: .* attempt ${n}`, 'FOUND    thumbnail-of-a-bomb: lost']));
    told('FOUND    thumbnail-of-a-bomb', see('dead-letters?namespace=default&queue=demo&id=thumbnail-of-a-bomb'));
    told('DONE     thumbnail-of-a-bomb: dead-lettered after attempt 3');
    told('TROUBLE  report-2024: .* still says "pending"', 'FOUND    report-2024: .* invalidation', seeJob('report-2024'));
    told('BACK     report-2024: .* says "done"');
    for (const path of ['reconciliations?queue=demo&verdict=lost', 'dead-letters?queue=demo', 'invalidations?queue=demo', 'queues/demo/jobs/report-2024']) expect(output).toContain(`${base}/v1/${path}`);
    expect(output).toContain('All four were found and dealt with');
    expect(processesOf(folder, base)).toEqual([]);
  });

  it('ends at once when it is stopped half-way, and leaves no process behind', async () => {
    const service = start('--demo');
    await service.waitForOutput(/TROUBLE/, 60_000);
    const base = /http:\/\/127\.0\.0\.1:\d+/.exec(service.output())?.[0] ?? 'no address';
    expect(processesOf(folder, base).length).toBeGreaterThan(1);

    const { code } = await service.stop('SIGINT', 20_000);
    expect(code, service.output()).toBe(0);
    expect(processesOf(folder, base)).toEqual([]);
  });

  it('takes its workers with it when it is killed', async () => {
    const service = start('--demo');
    await service.waitForOutput(/TROUBLE/, 60_000);
    const base = /http:\/\/127\.0\.0\.1:\d+/.exec(service.output())?.[0] ?? 'no address';
    await service.kill();
    const gone = await pollUntil(() => processesOf(folder, base).length === 0);
    expect(gone, processesOf(folder, base).join('\n')).toBe(true);
  });

  it('refuses a word that it does not know', async () => {
    const service = start('--dmeo');
    expect(await service.exited).toMatchObject({ code: 2 });
    expect(service.output()).toContain('npm start -- --demo');
  });
});

/** Command lines that name the demo's folder or its address: the service, its PostgreSQL, its workers. */
function processesOf(folder: string, base: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandLine)
    .filter((line) => line.includes(folder) || line.includes(base));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // ended meanwhile
  }
}
