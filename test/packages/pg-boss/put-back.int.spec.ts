import { createPgBoss, runId, type JobwardenPgBoss, type Owner, type PutBack } from '@jobwarden/pg-boss';
import { PgBoss, type JobWithMetadata, type SendOptions } from 'pg-boss';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { ScriptedJobwarden } from '../bullmq/scripted-jobwarden.js';
import { attemptsIn, kinOf, produced, tracing } from '../spans.fixture.js';

const PAUSED = { kind: 'refused', code: 'paused', status: 429, retryAfterMs: 10 } as const;

describe('an enqueue command in pg-boss', () => {
  const database = useTestDatabase({ empty: true });
  const silent = { info: () => undefined, warn: () => undefined };
  const open: JobwardenPgBoss[] = [];
  let boss: PgBoss;
  let jobwarden: ScriptedJobwarden;
  let queue = '';

  beforeAll(async () => {
    boss = new PgBoss({ connectionString: database.url, supervise: false, schedule: false });
    boss.on('error', () => undefined);
    await boss.start();
  });
  afterEach(async () => {
    await boss.offWork(queue);
    for (const binding of open.splice(0)) await binding.close();
  });
  afterAll(() => boss.stop({ graceful: false }));

  let count = 0;
  async function made(owner: Owner = 'jobwarden', settings: Parameters<PgBoss['createQueue']>[1] = {}): Promise<JobwardenPgBoss> {
    count += 1;
    queue = `q${String(count)}`;
    jobwarden = new ScriptedJobwarden();
    jobwarden.policy = { owner, 'actions.requeue': 'act' };
    await boss.createQueue(queue, { retryLimit: owner === 'queue' ? 2 : 0, ...settings });
    const binding = createPgBoss(boss, { owner, client: jobwarden.client, logger: silent, worker: { drainGraceMs: 0, tracing } });
    open.push(binding);
    return binding;
  }

  /** Sends to all that read, and answers what became of it. */
  async function reading(owner?: Owner, { readers = 1, ...settings }: { readers?: number; policy?: string; deadLetter?: string } = {}) {
    const binding = await made(owner, settings);
    const outcomes: (PutBack | 'stopped' | 'none')[] = [];
    for (let i = 0; i < readers; i += 1) await binding.consumeCommands(queue, { onCommand: (_, outcome) => void outcomes.push(outcome) }).ready;
    await waitUntil('they read', () => jobwarden.readers === readers);
    return async (job: JobWithMetadata<unknown>, data: object = {}): Promise<string> => {
      const before = outcomes.length;
      jobwarden.enqueue(runId({ nativeId: job.id, createdMs: job.createdOn.getTime() }), { queue, ...data });
      await waitUntil('the command is dealt with', () => outcomes.length === before + readers);
      return outcomes.slice(before).sort().join();
    };
  }

  const rowOf = async (id: string) => (await boss.findJobs<unknown>(queue, { id }))[0]!;
  const sent = async (options: SendOptions = {}) => await rowOf(String(await boss.send(queue, { to: 'ada' }, options)));
  const taken = async () => (await boss.fetch<unknown>(queue, { includeMetadata: true }))[0]!;
  const told = (type: string) => jobwarden.told.filter((fact) => fact.type === `jobwarden.job.${type}.v1`);

  it('puts the row of a dead worker back as it was, and takes nothing that its worker says afterwards', async () => {
    const command = await reading();
    await sent({ priority: 7, singletonKey: 'one' });
    const dead = await taken();
    expect(await command(dead)).toBe('put-back');
    expect(await rowOf(dead.id)).toMatchObject({ state: 'created', priority: 7, singletonKey: 'one', createdOn: dead.createdOn });
    const second = await taken();
    await boss.complete(queue, dead, { by: 'the dead one' });
    await boss.fail(queue, dead);
    expect(await rowOf(dead.id)).toMatchObject({ state: 'active', retryCount: second.retryCount, output: null });
  });

  it('keeps the trace context of whoever sent the job, which neither handler nor payload ever see', async () => {
    const command = await reading();
    const binding = open[0]!;
    // Not the one that the other tests use.
    const calls = ['send', 'sendAfter', 'sendThrottled', 'sendDebounced', 'insert', 'findJobs'] as const;
    const watched = binding.watchBoss(Object.fromEntries(calls.map((call) => [call, (boss[call] as () => unknown).bind(boss)])) as unknown as PgBoss);
    const { value: id, traceId, spanId, traceparent } = await produced(() => watched.send(queue, { to: 'ada' }));
    await waitUntil('it is told', () => told('queued').length === 1);
    expect(told('queued')[0]).toMatchObject({ traceparent, data: { payload: { to: 'ada' } } });
    await taken();
    expect(await command(await rowOf(String(id)), { trace: { traceparent, previous: `00-${traceId}-00f067aa0ba902b7-01` } })).toBe('put-back');
    const seen: unknown[] = [];
    await binding.work(queue, { pollingIntervalSeconds: 0.5 }, ({ data }) => Promise.resolve(void seen.push(data)));
    await waitUntil('it has run', () => attemptsIn(traceId).length === 1);
    expect(seen).toEqual([{ to: 'ada' }]);
    expect(kinOf(attemptsIn(traceId)[0])).toEqual({ parent: spanId, links: ['00f067aa0ba902b7'] });
  });

  it('is one job when several read it, and when it comes again: before it is begun, while it runs, and after its end', async () => {
    const command = await reading('jobwarden', { readers: 3 });
    await sent();
    const dead = await taken();
    expect(await command(dead)).toBe('copy,copy,put-back');
    expect(await command(dead)).toBe('copy,copy,copy');
    const second = await taken();
    expect(second.id).toBe(dead.id);
    expect(await command(dead)).toBe('copy,copy,copy');
    await boss.complete(queue, second);
    jobwarden.status = 'succeeded';
    expect(await command(dead)).toBe('older,older,older');
    expect(await boss.findJobs(queue)).toMatchObject([{ id: dead.id, state: 'completed' }]);
  });

  it('is one new row when the old one is gone, whoever reads it, and a later attempt is that row again', async () => {
    const command = await reading('jobwarden', { readers: 3 });
    const job = await sent();
    await boss.deleteJob(queue, job.id);
    expect(await command(job)).toBe('added,copy,copy');
    expect(await command(job)).toBe('copy,copy,copy');
    const added = await taken();
    expect(added).toMatchObject({ data: { from: 'jobwarden' }, retryLimit: 0, deleteAfterSeconds: 8 * 86_400 });
    jobwarden.attempt = 3;
    expect(await command(job, { attempt: 3, token: 3 })).toBe('copy,copy,put-back');
    expect((await taken()).id).toBe(added.id);
    jobwarden.attempt = 2;
    jobwarden.status = 'processing';
    expect(await command(job)).toBe('older,older,older');
  });

  it('runs again what has failed, with its number, token and payload', async () => {
    const command = await reading();
    const job = await sent();
    await boss.fail(queue, await taken());
    expect(await command(job, { token: 9 })).toBe('retried');
    const seen: unknown[] = [];
    await open[0]!.work(queue, { pollingIntervalSeconds: 0.5 }, ({ data }, { attempt, previousWorker }) => void seen.push(data, attempt, previousWorker?.id));
    await waitUntil('it has run', async () => (await rowOf(job.id)).state === 'completed', { withinMs: 10_000 });
    expect(seen).toEqual([{ to: 'ada' }, 2, undefined]);
    expect(jobwarden.claims).toEqual([{ id: runId({ nativeId: job.id, createdMs: job.createdOn.getTime() }), token: 9 }]);
  });

  it('notes its attempt in a row that waits, and leaves it the time that pg-boss has for it', async () => {
    const command = await reading('queue');
    const job = await sent({ startAfter: 3_600 });
    jobwarden.attempt = 1;
    expect(await command(job, { attempt: 1, token: 5 })).toBe('noted');
    expect(await command(job, { attempt: 1, token: 5 })).toBe('copy');
    expect(await rowOf(job.id)).toMatchObject({ state: 'created', startAfter: job.startAfter, retryLimit: 2 });
  });

  it('leaves to pg-boss what that still runs, where it owns the queue, and what it retries', async () => {
    const command = await reading('queue');
    const job = await sent();
    const first = await taken();
    expect(await command(job)).toBe('running');
    await boss.fail(queue, first);
    expect(await command(job)).toBe('noted');
    expect(await rowOf(job.id)).toMatchObject({ state: 'retry', retryCount: 0, retryLimit: 2 });
  });

  it('does not run again what pg-boss has completed, or somebody has cancelled there: Jobwarden is told', async () => {
    const command = await reading();
    const [done, gone] = [await sent(), await sent()];
    await boss.complete(queue, done.id, {}, { includeQueued: true });
    await boss.cancel(queue, gone.id);
    expect(await command(done)).toBe('completed');
    expect(await command(gone)).toBe('cancelled');
    await waitUntil('it is told', () => told('succeeded').length === 1 && told('cancelled').length === 1);
    expect(jobwarden.claims).toEqual([{ id: runId({ nativeId: done.id, createdMs: done.createdOn.getTime() }), token: 2 }]);
    expect(await command(gone, { reason: 'redriven' })).toBe('retried');
    expect(await command(done, { reason: 'redriven' })).toBe('added');
  });

  it('says so where the policy of the queue lets it not wait', async () => {
    const command = await reading('jobwarden', { policy: 'short' });
    await sent();
    const dead = await taken();
    await sent();
    expect(await command(dead)).toBe('held-off');
    expect(await rowOf(dead.id)).toMatchObject({ state: 'active' });
  });

  it('is not needed where pg-boss retries: each start of a row is an attempt, and the last fails for good', async () => {
    const binding = await made('queue', { retryLimit: 1, retryDelay: 0 });
    binding.watchBoss(boss);
    const job = await sent();
    await binding.work(queue, { pollingIntervalSeconds: 0.5 }, () => Promise.reject(new TypeError('no')));
    await waitUntil('all is told', () => told('failed').length === 2, { withinMs: 10_000 });
    const subject = runId({ nativeId: job.id, createdMs: job.createdOn.getTime() });
    // By who sent it, and by who began it: the same event.
    const { id, ...queued } = told('queued')[0] as unknown as Record<string, unknown>;
    expect([id, queued['data'], queued['subject']]).toEqual(['queued', { queue, payload: { to: 'ada' }, maxRetries: 1 }, subject]);
    expect(new Set(told('queued').map((fact) => JSON.stringify(fact))).size).toBe(1);
    expect(told('started').map(({ data }) => data['attempt'])).toEqual([1, 2]);
    expect(told('failed').map(({ data }) => [data['attempt'], data['retryable'], (data['error'] as { class: string }).class])).toEqual([[1, true, 'TypeError'], [2, false, 'TypeError']]);
    expect(jobwarden.claims).toEqual([]);
  });

  it('is not needed for what is put aside: the same attempt of the same row comes again, and each job of a batch ends on its own', async () => {
    const binding = await made();
    const ids = [(await sent()).id, String(await boss.send(queue, { fails: true }))];
    jobwarden.refusals.push(PAUSED, PAUSED);
    const seen: unknown[] = [];
    await binding.work<{ fails?: boolean }>(queue, { pollingIntervalSeconds: 0.5, batchSize: 2 }, ({ data }, { attempt }) => {
      seen.push([data, attempt]);
      if (data.fails === true) throw new Error('no');
    });
    const rows = async () => await Promise.all(ids.map(rowOf));
    await waitUntil('each has ended', async () => (await rows()).map(({ state }) => state).join() === 'completed,failed', { withinMs: 10_000 });
    expect(seen).toHaveLength(2);
    expect(seen).toEqual(expect.arrayContaining([[{ to: 'ada' }, 1], [{ fails: true }, 1]]));
    expect(await rows()).toMatchObject([{ retryCount: 1, retryLimit: 1 }, { retryCount: 1, retryLimit: 1, output: { message: 'no' } }]);
  });

  it('is not needed for what a process that ends leaves behind: others may begin it at once, and it begins nothing more', async () => {
    const binding = await made();
    const job = await sent();
    let begun = false;
    await binding.work(queue, { pollingIntervalSeconds: 0.5 }, async (_, { signal }) => {
      begun = true;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      signal.throwIfAborted();
    });
    await waitUntil('it is begun', () => begun, { withinMs: 10_000 });
    await binding.close();
    await waitUntil('it waits again', async () => (await rowOf(job.id)).state === 'created');
    await waitUntil('its worker is gone', () => boss.getWipData().length === 0);
    expect((await rowOf(job.id)).state).toBe('created');
    expect(told('released').map(({ data }) => [data['attempt'], data['reason']])).toEqual([[1, 'drain']]);
    expect(await taken()).toMatchObject({ id: job.id, retryCount: 1, retryLimit: 1 });
  });

  it('does not speak for the copy in a dead letter queue, which is a job of its own', async () => {
    await boss.createQueue('graves', { retryLimit: 0 });
    const command = await reading('queue', { deadLetter: 'graves' });
    const job = await sent({ retryLimit: 0 });
    jobwarden.attempt = 1;
    expect(await command(job, { attempt: 1, token: 5 })).toBe('noted');
    await boss.fail(queue, await taken());
    queue = 'graves';
    const seen: unknown[] = [];
    await open[0]!.work('graves', { pollingIntervalSeconds: 0.5 }, ({ id, sourceId, data }, { id: jobId }) => void seen.push([jobId.startsWith(`${id}@`), sourceId, data]));
    await waitUntil('it has run', () => seen.length === 1, { withinMs: 10_000 });
    expect(seen).toEqual([[true, job.id, { to: 'ada' }]]);
  });
});
