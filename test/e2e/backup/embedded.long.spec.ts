// As docs/backup.md says it of the embedded database, and of snapshots of a disk.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { epochOfToken } from '#libs/domain';
import { cliEntry, startProcess, waitUntil, type ToolRun } from '#libs/testing';
import { event, Shipped } from '../cases/shipped.js';
import { claim, POLICY } from './stage.js';

describe('a folder of the embedded database that was copied, and put back', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-embedded-backup-'));
  const data = join(folder, 'data');
  const backup = join(folder, 'backup');
  /** Of `late`: given out after the copy was made. */
  let lateToken: number;
  let running: Shipped | null = null;

  const start = async (): Promise<Shipped> => (running = await Shipped.start({ policy: POLICY, env: { JOBWARDEN_DATA_DIR: data } }));
  const jobwarden = async (...args: string[]): Promise<ToolRun> => {
    const command = startProcess({ entry: cliEntry, args, env: { JOBWARDEN_DATA_DIR: data } });
    const { code } = await command.exited;
    return { code: code ?? -1, output: command.output() };
  };
  /** By a copy that keeps neither owners nor modes, as many do. */
  const putBack = (): void => {
    rmSync(data, { recursive: true, force: true });
    cpSync(backup, data, { recursive: true });
  };

  beforeAll(async () => {
    const first = await start();
    await first.send([event('queued', 'kept'), event('queued', 'late')]);
    expect((await claim(first, 'q', 'kept', 'first')).status).toBe(201);
    await first.stop();
    cpSync(data, backup, { recursive: true });
    await first.startAgain();
    ({ token: lateToken } = await claim(first, 'q', 'late', 'before'));
    expect(await first.send([event('queued', 'never-seen-again')])).toEqual(['appended']);
    await first.stop();
  });
  afterEach(async () => {
    await running?.end();
    running = null;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('does not show it: without a word, the tokens of the time that is lost are given out a second time', async () => {
    putBack();
    expect(await jobwarden('recover', '--dry-run')).toMatchObject({ code: 2, output: expect.stringContaining('Refused (not_restored)') as unknown });
    const service = await start();
    expect((await claim(service, 'q', 'late', 'again')).token).toBe(lateToken);
    await service.stop();
  });

  it('is recovered by --force: every token is above all before, who ran goes on, and the log and its rows agree', async () => {
    putBack();
    const recovered = await jobwarden('recover', '--force', '--observe', '2s');
    expect([recovered.code, recovered.output]).toEqual([0, expect.stringMatching(/^Nothing shows a restore; it is taken for one by --force\.\nRecovered: the epoch is \d+/u) as unknown]);

    const service = await start();
    const first = { worker: { id: 'w-first' }, attempt: 1, token: 1 };
    expect(await service.send([event('heartbeat', 'kept', { ...first, leaseMs: 600_000 })])).toEqual(['recorded']);
    let again = { status: 0, token: 0 };
    await waitUntil('it is granted again', async () => (again = await claim(service, 'q', 'late', 'again')).status === 201, { withinMs: 20_000 });
    expect(again.token).toBeGreaterThan(lateToken);
    expect(epochOfToken(again.token)).toBeGreaterThan(epochOfToken(lateToken));
    const before = { worker: { id: 'w-before' }, attempt: 1, token: lateToken };
    expect(await service.send([event('succeeded', 'late', before), event('succeeded', 'kept', first)])).toEqual(['refused', 'appended']);
    expect((await service.call('GET', '/v1/queues/q/jobs/never-seen-again')).status).toBe(404);
    await service.stop();
    expect(await jobwarden('audit')).toMatchObject({ code: 0 });
  });
});
