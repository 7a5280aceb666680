import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type Client } from '@jobwarden/client';
import { createWorker, TerminalError } from '@jobwarden/worker';
import { bareEnv, cliEntry, createTestDatabase, type TestDatabase } from '#libs/testing';
import { asOwner, Shipped } from '../e2e/cases/shipped.js';
import { silent } from '../packages/worker/crew.js';

const T0 = 1_700_000_100_000;
const POLICY = 'defaults: {gate: {margin: 0.1, runTimeFactor: off}}\n';

describe('workers of two releases, one of them the canary, and the shipped service on a manual clock', () => {
  let database: TestDatabase;
  let service: Shipped;
  let client: Client;
  let now = T0;
  let jobs = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [T0]);
    service = await Shipped.start({ databaseUrl: database.url, policy: POLICY, env: {} });
    client = createClient({ url: service.url });
  });
  afterAll(async () => {
    await service.end();
    await database.drop();
  });

  const ask = async (queue: string) => {
    const answer = await fetch(`${service.url}/v1/gates/canary?queue=${queue}`);
    const { verdict, reasons } = (await answer.json()) as { verdict: string; reasons: string[] };
    return { status: answer.status, verdict, reasons };
  };

  /** What `jobwarden gate` says first, and ends with. */
  const command = (...args: string[]) => {
    const { status, stdout } = spawnSync(process.execPath, [cliEntry, 'gate', '--url', service.url, ...args], { encoding: 'utf8', env: bareEnv() });
    return { status, says: stdout.split(';')[0]?.trim() };
  };

  /** A stretch of 10 s in which jobs are dealt to three workers, one of them the canary. */
  const stretch = async (queue: string, fails: (canary: boolean, n: number) => boolean) => {
    const members = ['2.0', '1.0', '1.0'].map((revision, i) => createWorker({ client, logger: silent,  id: `${queue}-${String(i)}-${String(now)}`, revision, track: i === 0 ? 'canary' : 'stable' }));
    await Promise.all(
      Array.from({ length: 36 }, async (_, n) => {
        jobs += 1;
        const member = members[n % members.length];
        await member?.run({ queue, id: `job-${String(jobs)}` }, () => {
          if (fails(n % members.length === 0, n)) throw new TerminalError('the new release cannot do it');
        });
      }),
    );
    await Promise.all(members.map((member) => member.drain()));
    now += 10_000;
    const moved = await fetch(`${service.url}/v1/clock`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ now: new Date(now + 3_000).toISOString() }) });
    if (!moved.ok) throw new Error(await moved.text());
  };

  it('go from inconclusive to unhealthy where the new release fails', async () => {
    await stretch('bad', () => false);
    await stretch('bad', (canary, n) => canary && n < 18);
    expect(await ask('bad')).toMatchObject({ status: 425, verdict: 'inconclusive' });
    expect(command('--queue', 'bad')).toEqual({ status: 4, says: 'inconclusive: fewer attempts have ended than the policy asks for' });
    for (let i = 0; i < 4; i += 1) await stretch('bad', (canary, n) => canary && n < 18);
    expect(await ask('bad')).toEqual({ status: 409, verdict: 'unhealthy', reasons: expect.arrayContaining(['failures_worse']) as string[] });
    expect(command('--queue', 'bad', '--wait', '1h')).toMatchObject({ status: 1, says: expect.stringContaining('unhealthy: more of its') as string });
  });

  it('go from inconclusive to healthy where it does as well', async () => {
    await stretch('good', () => false);
    await stretch('good', () => false);
    expect(await ask('good')).toMatchObject({ status: 425, verdict: 'inconclusive' });
    for (let i = 0; i < 8; i += 1) await stretch('good', (_, n) => n === 7);
    expect(await ask('good')).toEqual({ status: 200, verdict: 'healthy', reasons: ['not_worse'] });
    expect(command('--queue', 'good', '--wait', '1h').status).toBe(0);
    expect(command('--queue', 'none').status).toBe(2);
  });
});
