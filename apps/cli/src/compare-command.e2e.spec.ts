import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliEntry, createTestDatabase, freePort, type TestDatabase } from '#libs/testing';
import { cli, service, type TestService } from './cli.fixture.js';

const QUEUE = ['--queue', 'emails'];

describe('comparing a list from the command line', () => {
  let database: TestDatabase;
  let running: TestService;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-compare-'));
    database = await createTestDatabase();
    running = await service({ JOBWARDEN_DATABASE_URL: database.url });
    const event = (type: string, subject: string, data: object = {}) => ({
      specversion: '1.0', id: `${type}-${subject}`, source: '/test', subject, type: `jobwarden.job.${type}.v1`, data: { queue: 'emails', ...data },
    });
    const events = [event('queued', 'done'), event('succeeded', 'done'), event('queued', 'waits'), event('started', 'busy', { worker: { id: 'w' } })];
    await fetch(`${running.url}/v1/events`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(events) });
  });
  afterAll(async () => {
    await running.process.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const list = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const compare = (...args: readonly string[]) => cli(['compare', ...args, '--url', running.url]);

  it('says 0 where both say the same', async () => {
    const file = list('same.ndjson', '{"id":"done","status":"completed"}\n{"id":"busy","status":"active"}\n');
    const run = await compare(file, ...QUEUE, '--preset', 'bullmq');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^2 jobs compared as of .*: 0 differences, 2 the same, 0 in motion\.\n$/u);
  });

  it('says 1 where they differ, and shows each difference', async () => {
    const file = list('differs.csv', 'id,status\ndone,running\nbusy,done\nbroken\n');
    const words = ['--map', 'running:processing,done:succeeded'];
    const run = await compare(file, ...QUEUE, '--complete', ...words);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^theirs_behind {2}emails\/done {2}theirs: running \(processing\); ours: succeeded, attempt 1, since .* \[line 2\]$/mu);
    expect(run.stdout).toMatch(/^theirs_ahead {3}emails\/busy .*\[line 3\]$/mu);
    expect(run.stdout).toMatch(/^unknown_there {2}emails\/waits {2}theirs: not named; ours: queued, attempt 1, since \S+$/mu);
    expect(run.stdout).toContain('Differences: 1 unknown_there, 1 theirs_behind, 1 theirs_ahead.\n1 broken line was left out.\n');
    expect(run.stderr).toBe('line 4: not_json: is no JSON\n');
    const json = await compare(file, ...QUEUE, ...words, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ compared: 2, broken: 1, total: 2, examples: [{ id: 'done' }, { id: 'busy' }] });
    expect(json).toMatchObject({ code: 1, stderr: '' });
  });

  it('mends where it may, and says what became of it', async () => {
    const file = list('lost.ndjson', '{"id":"waits","status":"unknown"}\n');
    const run = await compare(file, ...QUEUE, '--preset', 'bullmq', '--mend', 'requeue', '--reason', 'not in redis');
    expect(run.stdout).toContain('; would-have (observe)  [line 1]\n');
    expect(run.stdout).toContain('Mended: 1 would-have.\n');
  });

  it('reads standard input, and a list of 100,000 lines', async () => {
    const file = join(folder, 'long.ndjson');
    const out = createWriteStream(file);
    for (let n = 0; n < 100_000; n += 1) {
      if (!out.write(`{"id":"ghost-${String(n)}","status":"${n % 50_000 === 0 ? 'active' : 'unknown'}","data":"${'x'.repeat(40)}"}\n`)) await once(out, 'drain');
    }
    out.end();
    await once(out, 'finish');
    const run = await compare(file, ...QUEUE, '--preset', 'bullmq', '--json');
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({ compared: 100_000, same: 99_998, total: 2, examples: [{ line: 1 }, { line: 50_001 }] });

    const child = spawn(process.execPath, [cliEntry, 'compare', '-', ...QUEUE, '--url', running.url], { env: {} });
    let stdout = '';
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.stdin.end('{"id":"waits","status":"queued"}\n');
    const [code] = (await once(child, 'close')) as [number];
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^1 job compared/u)]);
  });

  it('says 2 for what it is not asked rightly, by itself or by the service', async () => {
    const file = list('some.ndjson', '{"id":"1","status":"queued"}\n');
    const empty = list('empty.ndjson', '');
    for (const [args, words] of [
      [[join(folder, 'gone.ndjson')], 'cannot be read'],
      [[folder], 'is a directory'],
      [[file, '--preset', 'sidekiq'], 'bullmq, pg-boss'],
      [[file, '--preset', 'bullmq', '--map', 'a:queued'], 'give one of the two'],
      [[file, '--map', 'a:b'], 'no status'],
      [[file, '--complete'], 'needs --queue'],
      [[file, '--mend', 'requeue'], 'needs --reason'],
      [[file, '--mend', 'restart'], 'invalidate, requeue'],
      [[file, '--as-of', 'noon'], 'asOf'],
      [[file, '--format', 'xml'], 'ndjson, csv'],
      [[empty], 'list_empty'],
    ] as const) {
      expect(await compare(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(words) as unknown });
    }
    const nobody = await cli(['compare', file, '--url', `http://127.0.0.1:${await freePort()}`]);
    expect(nobody).toMatchObject({ code: 3, stderr: expect.stringContaining('does not answer') as unknown });
  });

  it('says 3 when the answer breaks off, and tells of it', async () => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"type":"broken","line":1,"reason":"field","detail":"d"}\n');
      if (request.url?.includes('queue=told') === true) response.end('{"type":"error","code":"draining","detail":"ends","requestId":"r"}\n');
      else setImmediate(() => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? String(address.port) : ''}`;
    const file = list('one.ndjson', '{"id":"1","status":"queued"}\n');
    expect(await cli(['compare', file, '--queue', 'told', '--url', url])).toMatchObject({ code: 3, stderr: expect.stringContaining('broke off: draining') as unknown });
    expect(await cli(['compare', file, '--queue', 'cut', '--url', url])).toMatchObject({ code: 3, stderr: expect.stringContaining('The answer broke off') as unknown });
    server.close();
  });
});
