// The worker library in processes of its own, which are blocked and killed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates, shiftedClock, startProcess, waitUntil, type TestProcess } from '#libs/testing';
import { createEmitter } from '@jobwarden/client';
import { createOutbox } from '@jobwarden/worker/outbox';
import { Crew, silent, untilStopped } from './crew.js';
import { tlsProxy } from './tls-proxy.js';

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

  function start(file: string, { args, env = {}, url = crew.service.url }: { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>>; readonly url?: string }): TestProcess {
    const started = startProcess({ entry: join(import.meta.dirname, file), args: [url, ...args], env });
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

  it('beats and hears a stop over TLS, and lets go of what it holds on SIGTERM', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobwarden-tls-'));
    const { caFile, serverFile } = await makeCertificates(folder);
    const proxy = await tlsProxy(serverFile, new URL(crew.service.url));
    try {
      const env = { NODE_EXTRA_CA_CERTS: caFile };
      await crew.worker({ id: 'tls-producer' }).queued({ queue: 'tls', id: 'tls-1' });
      start('holding-main.mjs', { url: proxy.url, args: ['tls', 'beats', '1'], env });
      // By the stream alone: its first beat would be due after twenty seconds.
      const secure = start('holding-main.mjs', { url: proxy.url, args: ['tls', 'tls', '2'], env: { ...env, DRAIN_ON: 'SIGTERM', LEASE_MS: '60000' } });
      await secure.waitForOutput(/holds all/u);
      await waitUntil('the other one beats', async () => (await workers()).some(({ id, runtime }) => id === 'holds-beats' && runtime !== undefined));
      await crew.client.call('POST', '/v1/jobs/one/cancel?queue=tls&id=tls-0', { reason: 'test' });
      await secure.waitForOutput(/tls-0 ended stopped stop/u);
      process.kill(secure.pid, 'SIGTERM');
      await secure.waitForOutput(/tls-1 ended stopped drain/u);
      expect(await secure.exited).toEqual({ code: null, signal: 'SIGTERM' });
      expect((await crew.reaches('tls-1', 'requeued', 'tls')).decisions.map(({ reason }) => reason)).toContain('released');
    } finally {
      await proxy.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('tells once that a renewal failed while the service is away, when it is back; and nothing is put back', async () => {
    const emitter = createEmitter({ client: crew.client, source: 'patient', logger: silent });
    const worker = crew.worker({ id: 'patient', leaseMs: 900, emitter });
    const running = worker.run({ queue: 'q', id: 'patient' }, untilStopped);
    await crew.reaches('patient', 'processing');
    await crew.service.kill();
    await waitUntil('a renewal has failed', () => emitter.stats().buffered > 0);
    await crew.service.startAgain();
    const failures = async () => {
      const { items } = (await crew.client.call('GET', '/v1/queues/q/jobs/patient/events?limit=1000')) as { items: readonly { type: string; data: { reason: string } }[] };
      return items.filter(({ type }) => type === 'jobwarden.job.lease-renewal-failed.v1');
    };
    await waitUntil('it is told', async () => (await failures()).length > 0);
    await crew.client.call('POST', '/v1/jobs/one/cancel?queue=q&id=patient', { reason: 'test' });
    await running;
    await emitter.close();
    expect(await failures()).toHaveLength(1);
    expect((await crew.job('patient')).decisions.map(({ kind }) => kind)).not.toContain('restart-requested');
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
