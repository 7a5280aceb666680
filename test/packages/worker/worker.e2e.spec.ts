import { Redis } from 'ioredis';
import pg from 'pg';
import Redlock from 'redlock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisLeftOut, startRedis, waitUntil } from '#libs/testing';
import { QueueClosedError, TerminalError, type Job } from '@jobwarden/worker';
import { asOwner } from '../../e2e/cases/shipped.js';
import { Crew, latch, untilStopped } from './crew.js';

const POLICY = `
defaults: {actions: act, idempotent: true, grace: 100ms, maxRetries: 1, backoff: {initial: 10ms, max: 10ms, jitter: 0}}
queues:
  claimed: {claims: required, idempotent: false}
`;

describe('a worker against the service', () => {
  let crew: Crew;
  beforeAll(async () => (crew = await Crew.start(POLICY)));
  afterAll(async () => await crew.end());

  it('runs an attempt, and tells its start, its progress and its end', async () => {
    const worker = crew.worker({ id: 'plain', revision: 'r1', track: 'canary', leaseMs: 300 });
    await worker.queued({ queue: 'q', id: 'plain', payload: { n: 1 } });
    const halfway = latch();
    const running = worker.run({ queue: 'q', id: 'plain', payload: '{"n":1}', decode: (text) => JSON.parse(text as string) as unknown }, async (job: Job<{ n: number }>) => {
      job.progress({ percent: 50 });
      await halfway.opened;
      return job.payload.n + job.attempt;
    });
    await waitUntil('its progress is there', async () => (await crew.job('plain')).attempts[0]?.progress !== undefined);
    expect((await crew.job('plain')).attempts[0]?.progress).toEqual({ percent: 50 });
    halfway.open();
    expect(await running).toEqual({ kind: 'succeeded', value: 2 });
    expect(await crew.job('plain')).toMatchObject({
      status: 'succeeded',
      attempts: [{ attempt: 1, outcome: 'succeeded', workers: [{ id: 'plain', revision: 'r1', track: 'canary' }] }],
    });
  });

  it('claims where the policy asks for it, and hands the token to the handler', async () => {
    const worker = crew.worker();
    const result = await worker.run({ queue: 'claimed', id: 'c' }, ({ token, attempt }) => [attempt, token]);
    expect(result).toEqual({ kind: 'succeeded', value: [1, 1] });
    expect((await crew.job('c', 'claimed')).attempts[0]).toMatchObject({ outcome: 'succeeded', token: 1 });
    expect(await worker.run({ queue: 'claimed', id: 'c' }, () => 1)).toMatchObject({ kind: 'refused', code: 'finished' });
  });

  it('tells a failure with its class, code, status, stack and the payload without its secrets', async () => {
    const worker = crew.worker();
    const payload = { to: 'ada', password: 'hunter2' };
    const error = Object.assign(new TerminalError('the shop is gone'), { code: 'E_SHOP', status: 410 });
    const result = await worker.run({ queue: 'q', id: 'failing', payload }, () => Promise.reject(error));
    expect(result).toEqual({ kind: 'failed', error, retryable: false });
    const [attempt] = (await crew.reaches('failing', 'dead-lettered')).attempts;
    expect(attempt).toMatchObject({ outcome: 'failed-for-good', error: { class: 'TerminalError', message: 'the shop is gone', code: 'E_SHOP', responseStatus: 410 } });
    const bodies = await asOwner<{ text: string }>(crew.database.url, `SELECT convert_from(bytes, 'UTF8') AS text FROM jobwarden.bodies`);
    expect(bodies.map(({ text }) => text)).toContain('{"to":"ada","password":"[redacted]"}');
    expect(bodies.some(({ text }) => text.includes('worker.e2e.spec.ts'))).toBe(true);
  });

  it('fails for good what cannot be decoded or is not valid, inside the attempt', async () => {
    const worker = crew.worker();
    const never = () => expect.unreachable();
    const decoded = await worker.run({ queue: 'q', id: 'bytes', payload: '{', decode: (text) => JSON.parse(text as string) as unknown }, never);
    expect(decoded).toMatchObject({ kind: 'failed', retryable: false, error: { code: 'decode' } });
    const invalid = () => Promise.reject(new Error('no address'));
    const validated = await worker.run({ queue: 'q', id: 'invalid', payload: {}, validate: invalid }, never);
    expect(validated).toMatchObject({ kind: 'failed', retryable: false, error: { code: 'validate', message: expect.stringContaining('no address') as unknown } });
    await crew.reaches('invalid', 'dead-lettered');
  });

  it('stops what takes longer than its hard timeout, also in validation, and lets it be tried again', async () => {
    const worker = crew.worker({ stopGraceMs: 50 });
    await worker.queued({ queue: 'q', id: 'slow' });
    const forever = () => untilStopped({ signal: AbortSignal.timeout(60_000) });
    const stuck = await worker.run({ queue: 'q', id: 'endless-validation', payload: {}, timeoutMs: 50, validate: forever }, () => 1);
    expect(stuck).toMatchObject({ kind: 'stopped', reason: 'hard-timeout' });
    const slow = await worker.run({ queue: 'q', id: 'slow', timeoutMs: 50 }, untilStopped);
    expect(slow).toMatchObject({ kind: 'failed', retryable: true, error: { name: 'HardTimeoutError', code: 'hard_timeout' } });
    await crew.reaches('slow', 'requeued');
  });

  it('B4: stops what somebody cancels, by the command stream or by the answer to a beat', async () => {
    for (const [id, options] of [['by-stream', { leaseMs: 60_000 }], ['by-beat', { leaseMs: 300, commands: false }]] as const) {
      const worker = crew.worker({ ...options, id });
      const running = worker.run({ queue: 'q', id }, untilStopped);
      await crew.reaches(id, 'processing');
      await crew.client.call('POST', `/v1/jobs/one/cancel?queue=q&id=${id}`, { reason: 'test' });
      expect(await running).toMatchObject({ kind: 'stopped', reason: id === 'by-stream' ? 'stop' : 'finished' });
    }
  });

  it('obeys a pause: begins nothing, and lets producers wait or turn away', async () => {
    const worker = crew.worker();
    await crew.client.call('POST', '/v1/queues/shut/pause', { reason: 'test' });
    expect(await worker.run({ queue: 'shut', id: '1' }, () => 1)).toEqual({ kind: 'refused', code: 'paused', retryAfterMs: 5_000 });
    await expect(worker.queued({ queue: 'shut', id: '2', whenPaused: 'reject' })).rejects.toBeInstanceOf(QueueClosedError);
    await expect(worker.queued({ queue: 'shut', id: '2', maxDelayMs: 10 })).rejects.toMatchObject({ code: 'paused' });
    const delayed = worker.queued({ queue: 'shut', id: '2' });
    await crew.client.call('POST', '/v1/queues/shut/resume', { reason: 'test' });
    expect(await delayed).toMatchObject({ outcome: 'appended' });
  });

  it('begins nothing while its release is out of service, and lets what runs end, or stops it, as it is set', async () => {
    const call = (what: string) => crew.client.call('POST', `/v1/revisions/${what}`, { queue: 'released', revision: 'r2', reason: 'it leaks', force: true });
    const told: string[] = [];
    const options = { revision: 'r2', leaseMs: 300, onRevision: (queue: string, state: string) => void told.push(`${queue} ${state}`) };
    const [patient, strict] = [crew.worker({ ...options, id: 'patient' }), crew.worker({ ...options, id: 'strict', whenRefused: 'stop', thread: false })];
    const goOn = latch();
    const long = patient.run({ queue: 'released', id: 'long' }, () => goOn.opened);
    const stopped = strict.run({ queue: 'released', id: 'stopped' }, untilStopped);
    await Promise.all(['long', 'stopped'].map((id) => crew.reaches(id, 'processing', 'released')));
    await call('refuse');
    // By the answers to their beats, from a thread and from the loop: neither begins anything that could be refused.
    expect(await stopped).toEqual({ kind: 'stopped', reason: 'revision-quarantined' });
    await waitUntil('the thread has heard of it', () => patient.refusedIn.length === 1);
    expect(await patient.run({ queue: 'released', id: 'new' }, () => 1)).toEqual({ kind: 'refused', code: 'revision_quarantined', retryAfterMs: 5_000 });
    const fresh = crew.worker({ revision: 'r2', id: 'fresh' });
    expect(await fresh.run({ queue: 'released', id: 'new' }, () => 1)).toMatchObject({ kind: 'refused', code: 'revision_quarantined' });
    expect(await fresh.queued({ queue: 'released', id: 'new' })).toMatchObject({ outcome: 'appended' });
    expect(await crew.worker({ revision: 'r1', id: 'other' }).run({ queue: 'released', id: 'theirs' }, () => 1)).toMatchObject({ kind: 'succeeded' });
    goOn.open();
    expect(await long).toMatchObject({ kind: 'succeeded' });
    await call('readmit');
    await patient.admitted('released');
    expect(await patient.run({ queue: 'released', id: 'new' }, () => 2)).toEqual({ kind: 'succeeded', value: 2 });
    expect(told.filter((line) => line === 'released refused')).toHaveLength(2);
  });

  it('lets what runs go on while it drains, aborts what is left, and begins nothing more', async () => {
    const worker = crew.worker({ drainGraceMs: 200 });
    const goOn = latch();
    await worker.queued({ queue: 'q', id: 'long' });
    const short = worker.run({ queue: 'q', id: 'short' }, () => goOn.opened);
    const long = worker.run({ queue: 'q', id: 'long' }, untilStopped);
    await crew.reaches('long', 'processing');
    const drain = worker.drain();
    expect(await worker.run({ queue: 'q', id: 'new' }, () => 1)).toEqual({ kind: 'refused', code: 'draining' });
    goOn.open();
    expect(await short).toMatchObject({ kind: 'succeeded' });
    expect(await long).toEqual({ kind: 'stopped', reason: 'drain' });
    await drain;
    expect((await crew.reaches('long', 'requeued')).decisions.map(({ reason }) => reason)).toContain('released');
  });

  it('obeys a throttle: one a second here, and then says when to come again', async () => {
    const worker = crew.worker();
    await crew.client.call('POST', '/v1/queues/warm/throttle', { perSecond: 0.1, reason: 'test' });
    expect(await worker.run({ queue: 'warm', id: '1' }, () => 1)).toMatchObject({ kind: 'succeeded' });
    const refused = await worker.run({ queue: 'warm', id: '2' }, () => expect.unreachable());
    expect(refused).toMatchObject({ kind: 'refused', code: 'throttled' });
    expect(refused.kind === 'refused' && refused.retryAfterMs).toBeGreaterThan(1_000);
    await crew.client.call('POST', '/v1/queues/warm/resume', { reason: 'test' });
  });

  it('tells what of a pool of pg it waits for', async () => {
    const worker = crew.worker({ id: 'waiter', leaseMs: 300 });
    const pool = new pg.Pool({ connectionString: crew.database.url, max: 1 });
    worker.watchPool(pool);
    const held = await pool.connect();
    const waiting = pool.query('SELECT 1');
    await waitUntil('the wait is told', async () => (await runtimeOf('waiter'))?.['poolWaiting'] === 1);
    expect(await runtimeOf('waiter')).toMatchObject({
      ...{ poolInUse: 1, heapUsed: expect.any(Number) as unknown, heapLimit: expect.any(Number) as unknown, rss: expect.any(Number) as unknown, loopLagMs: expect.any(Number) as unknown },
    });
    held.release();
    await waiting;
    await pool.end();
  });

  it.skipIf(redisLeftOut())('tells which lock of redlock it waits for', async () => {
    const redis = await startRedis();
    const client = new Redis(redis.url);
    try {
      const worker = crew.worker({ id: 'locker', leaseMs: 300 });
      const locks = new Redlock([client], { retryCount: -1, retryDelay: 20 });
      worker.watchLocks(locks);
      const first = await locks.acquire(['invoice:7'], 60_000);
      const second = locks.acquire(['invoice:7'], 60_000);
      await waitUntil('the wait is told', async () => Array.isArray((await runtimeOf('locker'))?.['lockWaits']));
      expect(await runtimeOf('locker')).toMatchObject({ lockWaits: [{ resource: 'invoice:7', waitedMs: expect.any(Number) as unknown }] });
      await first.release();
      await (await second).release();
      await waitUntil('it waits no more', async () => (await runtimeOf('locker'))?.['lockWaits'] === undefined);
    } finally {
      client.disconnect();
      await redis.stop();
    }
  });

  async function runtimeOf(id: string): Promise<Record<string, unknown> | undefined> {
    const { items } = (await crew.client.call('GET', '/v1/workers')) as { items: readonly { id: string; runtime?: Record<string, unknown> }[] };
    return items.find((worker) => worker.id === id)?.runtime;
  }
});
