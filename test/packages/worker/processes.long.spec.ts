// The worker library in processes of its own, which are blocked and killed.
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shiftedClock, startProcess, waitUntil, type TestProcess } from '#libs/testing';
import { createOutbox } from '@jobwarden/worker/outbox';
import { Crew } from './crew.js';

const POLICY = `
defaults: {actions: act, idempotent: true, grace: 300ms, maxRetries: 2, backoff: {initial: 10ms, max: 10ms, jitter: 0}}
queues:
  claimed: {claims: required, idempotent: false}
`;

describe('a worker process', () => {
  let crew: Crew;
  let running: TestProcess[] = [];
  beforeAll(async () => (crew = await Crew.start(POLICY)));
  afterEach(async () => {
    await Promise.all(running.map((started) => started.kill()));
    running = [];
  });
  afterAll(() => crew.end());

  function start(file: string, { args, env = {} }: { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }): TestProcess {
    const started = startProcess({ entry: join(import.meta.dirname, file), args: [crew.service.url, ...args], env });
    running.push(started);
    return started;
  }
  const workers = async () => ((await crew.client.call('GET', '/v1/workers')) as { items: readonly { id: string; runtime?: { loopLagMs?: number } }[] }).items;

  it('A2: whose event loop is blocked for four leases keeps its job, and its lag is told', async () => {
    const blocked = start('blocked-main.mjs', { args: ['true', '4000'] });
    await blocked.waitForOutput(/blocked/u);
    await waitUntil('the lag is told', async () => ((await workers()).find(({ id }) => id === 'blocked-true')?.runtime?.loopLagMs ?? 0) > 2_000);
    await blocked.waitForOutput(/ended succeeded/u);
    const job = await crew.reaches('blocked-true', 'succeeded');
    expect(job.attempts).toHaveLength(1);
    expect(job.decisions).toEqual([]);
  });

  it('A2: that beats from its event loop has the grace before anything restarts', async () => {
    const blocked = start('blocked-main.mjs', { args: ['false', '4000'] });
    await blocked.waitForOutput(/blocked/u);
    await waitUntil('its job is put back', async () => (await crew.job('blocked-false')).decisions.some(({ kind }) => kind === 'requeued'));
    const [asked, requeued] = (await crew.job('blocked-false')).decisions;
    expect([asked?.kind, asked?.reason, requeued?.kind]).toEqual(['restart-requested', 'lost', 'requeued']);
    expect(Date.parse(requeued!.at) - Date.parse(asked!.at)).toBeGreaterThanOrEqual(300);
  });

  it('A5, A6, G1: that is killed loses all fifty jobs that it held, once each, whatever its clock says', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => `fifty-${String(i)}`);
    const producer = crew.worker({ id: 'producer' });
    await Promise.all(ids.map((id) => producer.queued({ queue: 'fifty', id })));
    const killed = start('holding-main.mjs', { args: ['fifty', 'fifty', '50'], env: shiftedClock(-300_000) });
    await killed.waitForOutput(/holds all/u);
    await killed.kill();
    const requeued = async () => (await crew.client.jobs({ queue: 'fifty', status: 'requeued', limit: 1_000 })).items;
    await waitUntil('all of them are put back', async () => (await requeued()).length === 50);
    expect((await requeued()).map(({ attempt }) => attempt)).toEqual(ids.map(() => 2));
  });

  it('B2: that was paused while another took its job over is told to stop, and its end does not count', async () => {
    const other = crew.worker({ id: 'other', leaseMs: 1_000 });
    await other.queued({ queue: 'claimed', id: 'taken-0' });
    const paused = start('holding-main.mjs', { args: ['claimed', 'taken', '1'] });
    await paused.waitForOutput(/holds all/u);
    process.kill(paused.pid, 'SIGSTOP');
    await crew.reaches('taken-0', 'requeued', 'claimed');
    expect(await other.run({ queue: 'claimed', id: 'taken-0' }, ({ token, attempt }) => [attempt, token])).toEqual({ kind: 'succeeded', value: [2, 2] });
    process.kill(paused.pid, 'SIGCONT');
    await paused.waitForOutput(/taken-0 ended stopped (?:superseded|finished|stop)/u);
    expect(await crew.job('taken-0', 'claimed')).toMatchObject({ status: 'succeeded', attempt: 2, anomalies: [] });
  });

  it('that is killed between its commit and the relay has succeeded all the same, once', async () => {
    const pool = new pg.Pool({ connectionString: crew.database.url });
    try {
      const outbox = createOutbox({ pool, client: crew.client });
      await outbox.install();
      await pool.query('CREATE TABLE payouts (job text, attempt integer)');
      const worker = crew.worker({ id: 'second', leaseMs: 500, outbox });
      await worker.queued({ queue: 'q', id: 'paid' });
      const killed = start('killed-outbox.mjs', { args: [crew.database.url] });
      expect(await killed.exited).toEqual({ code: null, signal: 'SIGKILL' });
      await waitUntil('the job is put back', async () => (await crew.job('paid')).status === 'requeued');
      // The second attempt finds the success of the first one, which Jobwarden has not heard of.
      const again = await worker.run({ queue: 'q', id: 'paid', attempt: 2 }, () => pool.query(`INSERT INTO payouts VALUES ('paid', 2)`));
      expect(again).toEqual({ kind: 'refused', code: 'finished' });
      expect(await outbox.relay()).toBe(1);
      expect(await crew.reaches('paid', 'succeeded')).toMatchObject({ attempts: [{ attempt: 1, outcome: 'succeeded' }, { attempt: 2 }] });
      expect((await pool.query('SELECT * FROM payouts')).rows).toEqual([{ job: 'paid', attempt: 1 }]);
      expect(await outbox.relay()).toBe(0);
    } finally {
      await pool.end();
    }
  });
});
