import { join } from 'node:path';
import { attemptOf, fenceOf, runId, type Bullmq, type BullmqOptions } from '@jobwarden/bullmq';
import { DelayedError, UnrecoverableError, Worker, type Job, type Queue, type WorkerOptions } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redisLeftOut } from '#libs/testing';
import { attemptsIn, kinOf, produced, tracing } from '../spans.fixture.js';
import { readingOf } from './reading.js';
import { Stage } from './stage.js';

describe.skipIf(redisLeftOut())('a BullMQ worker under Jobwarden', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.end());

  const told = (type: string) => stage.jobwarden.told.filter((fact) => fact.type === `jobwarden.job.${type}.v1`).map(({ subject, data }): Readonly<Record<string, unknown>> => ({ subject, ...data }));

  function made(owner: Bullmq['owner'] = 'queue', worker: BullmqOptions['worker'] = {}): { readonly bullmq: Bullmq; readonly queue: Queue } {
    stage.jobwarden.policy = { owner, 'actions.requeue': 'act' };
    stage.jobwarden.told.length = 0;
    stage.jobwarden.claims.length = 0;
    const bullmq = stage.bullmq({ owner, worker });
    return { bullmq, queue: bullmq.watchQueue(stage.queue()) };
  }

  const options = (more: Partial<WorkerOptions> = {}): WorkerOptions => ({ connection: stage.connection, ...more });
  const ends = async (queue: Queue, job: Job, state: string) => {
    await stage.until(`${job.name} is ${state}`, async () => (await stage.state(queue, job.id)) === state);
    return await queue.getJob(job.id ?? '');
  };

  it('tells the whole life of a job, which BullMQ completes with its result', async () => {
    const { bullmq, queue } = made();
    const seen: unknown[] = [];
    const handler = async (job: Job, token: string, signal: AbortSignal) => {
      seen.push(job.data, token.includes(':'), signal.aborted, fenceOf(job).attempt, attemptOf(job)?.kind);
      await job.updateProgress({ page: 3 });
      return { sent: true };
    };
    stage.keep(bullmq.worker(queue.name, handler, options()));
    const job = await queue.add('welcome', { to: 'ada' }, { attempts: 4, delay: 1 });
    expect((await ends(queue, job, 'completed'))?.returnvalue).toEqual({ sent: true });
    expect(seen).toEqual([{ to: 'ada' }, true, false, 1, 'welcome']);
    const subject = runId(job.id ?? '', job.timestamp);
    await stage.until('its end is told', () => told('succeeded').length === 1);
    const notBefore = new Date(job.timestamp + 1).toISOString();
    expect(told('queued')).toEqual([{ subject, queue: queue.name, kind: 'welcome', payload: { to: 'ada' }, maxRetries: 3, notBefore }]);
    expect(told('started')).toMatchObject([{ subject, attempt: 1 }]);
    expect(told('succeeded')).toMatchObject([{ subject, attempt: 1 }]);
    expect((await queue.getJob(job.id ?? ''))?.data).toEqual({ to: 'ada' });
  });

  it('carries the trace context of whoever added a job, also into the job that a command adds', async () => {
    const { bullmq, queue } = made('jobwarden', { tracing });
    const { command } = await readingOf(stage, queue);
    stage.keep(bullmq.worker(queue.name, () => Promise.resolve(), options()));
    const { value: job, traceId, spanId, traceparent } = await produced(() => queue.add('mail', { to: 'ada' }));
    await ends(queue, job, 'completed');
    await stage.until('it is told', () => told('succeeded').length === 1);
    expect(stage.jobwarden.told.find(({ type }) => type === 'jobwarden.job.queued.v1')).toMatchObject({ traceparent });
    expect((await queue.getJob(job.id ?? ''))?.data).toEqual({ to: 'ada' });

    const trace = { traceparent, previous: `00-${traceId}-00f067aa0ba902b7-01` };
    expect(await command({ id: 'gone', timestamp: 1_764_000_000_000 }, { trace })).toBe('added');
    await stage.until('both have run', () => attemptsIn(traceId).length === 2);
    expect(attemptsIn(traceId).map(kinOf)).toEqual([{ parent: spanId, links: [] }, { parent: spanId, links: ['00f067aa0ba902b7'] }]);
  });

  it('tells each of BullMQ’s own retries as an attempt, and the last as failed for good', async () => {
    const { bullmq, queue } = made();
    stage.keep(bullmq.worker(queue.name, () => Promise.reject(new TypeError('no')), options()));
    const job = await queue.add('mail', {}, { attempts: 3 });
    expect(await ends(queue, job, 'failed')).toMatchObject({ failedReason: 'no', attemptsMade: 3 });
    await stage.until('all is told', () => told('failed').length === 3);
    expect(told('failed').map(({ attempt, retryable, error }) => [attempt, retryable, (error as { class: string }).class])).toEqual([
      [1, true, 'TypeError'],
      [2, true, 'TypeError'],
      [3, false, 'TypeError'],
    ]);
  });

  it('takes an unrecoverable error for the last word', async () => {
    const { bullmq, queue } = made();
    stage.keep(bullmq.worker(queue.name, () => Promise.reject(new UnrecoverableError('never')), options()));
    const job = await queue.add('mail', {}, { attempts: 3 });
    await ends(queue, job, 'failed');
    await stage.until('it is told', () => told('failed').length === 1);
    expect(told('failed')).toMatchObject([{ attempt: 1, retryable: false }]);
  });

  it('puts a failed job aside where Jobwarden retries, with no retry of BullMQ’s', async () => {
    const { bullmq, queue } = made('jobwarden');
    stage.keep(bullmq.worker(queue.name, () => Promise.reject(new Error('no')), options()));
    const job = await queue.add('mail', {}, { attempts: 3 });
    const aside = await ends(queue, job, 'delayed');
    expect(aside).toMatchObject({ attemptsMade: 0, attemptsStarted: 1, opts: { attempts: 1 } });
    expect(told('queued')).toMatchObject([{ maxRetries: 2 }]);
    expect(told('failed')).toMatchObject([{ attempt: 1, token: 1, retryable: true }]);
  });

  it.each(['queue', 'jobwarden'] as const)('goes on after the handler has delayed its job itself: no failure, owner %s', async (owner) => {
    const { bullmq, queue } = made(owner);
    let starts = 0;
    const handler = async (job: Job, token: string) => {
      starts += 1;
      if (starts > 1) return 'done';
      await job.moveToDelayed(Date.now() + 20, token);
      throw new DelayedError();
    };
    stage.keep(bullmq.worker(queue.name, handler, options()));
    const job = await queue.add('mail', {}, { attempts: 3 });
    expect(await ends(queue, job, 'completed')).toMatchObject({ attemptsStarted: 2, attemptsMade: 1 });
    await stage.until('its end is told', () => told('succeeded').length === 1);
    expect(told('failed')).toEqual([]);
    expect(told('succeeded')).toMatchObject([{ attempt: 1 }]);
    // Claimed, it is let go for the next to claim; otherwise its lease covers the delay.
    if (owner === 'jobwarden') expect(told('released')).toMatchObject([{ attempt: 1, token: 1, reason: 'parked' }]);
    else expect(told('heartbeat')[0]?.['leaseMs']).toBeGreaterThan(30_000);
  });

  it('counts BullMQ’s own stall recovery as an attempt, and tells when the queue gave up', async () => {
    const { bullmq, queue } = made();
    const job = await stage.abandoned(queue);
    const attempts: number[] = [];
    const handler = async (mine: Job) => {
      attempts.push(fenceOf(mine).attempt);
      // As if this process died: its lock is gone, and the next stall check finds it.
      const client = await queue.backend.client;
      await client.del(`${queue.toKey(mine.id ?? '')}:lock`);
      await new Promise<void>((resolve) => void stage.until('it is given up', async () => (await stage.state(queue, mine.id)) === 'failed').finally(resolve));
    };
    const worker = stage.keep(bullmq.worker(queue.name, handler, options({ stalledInterval: 50, concurrency: 2, lockDuration: 60_000 })));
    worker.on('error', () => undefined);
    await ends(queue, job, 'failed');
    await stage.until('it is told', () => told('failed').length > 0);
    expect(attempts).toEqual([2]);
    expect(told('failed')).toMatchObject([{ attempt: 2, retryable: false, error: { class: 'StalledError' } }]);
  });

  it('runs in a worker that somebody else makes, and says where it cannot', async () => {
    const { bullmq, queue } = made();
    stage.keep(new Worker(queue.name, bullmq.processor((job: Job) => Promise.resolve(fenceOf(job).attempt)), options()));
    const job = await queue.add('mail', {});
    expect((await ends(queue, job, 'completed'))?.returnvalue).toBe(1);
    expect(() => bullmq.processor('./file.js' as never)).toThrow(/jobwarden\.worker/u);
    expect(() => fenceOf(job)).toThrow(/not being run/u);
  });

  it('tells queued of jobs that nobody has told: those of a scheduler, or of a program without this package', async () => {
    const { bullmq } = made();
    const queue = stage.queue();
    await queue.upsertJobScheduler('hourly', { every: 3_600_000 }, { name: 'report', data: { of: 'today' } });
    stage.keep(bullmq.worker(queue.name, () => Promise.resolve(1), options()));
    await stage.until('its end is told', () => told('succeeded').length === 1);
    expect(told('queued')).toMatchObject([{ kind: 'report', payload: { of: 'today' } }]);
    expect(told('queued')[0]?.['subject']).toMatch(/^repeat:hourly:\d+@\d+$/u);
  });

  it('runs a sandboxed processor, a file of its own, under a lease as well', async () => {
    const { bullmq, queue } = made();
    // Without the runner's own conditions: it is to use the packages as they are built.
    stage.keep(bullmq.worker(queue.name, join(import.meta.dirname, 'processes/sandboxed.mjs'), options({ workerForkOptions: { execArgv: [] } })));
    const job = await queue.add('mail', { to: 'ada' });
    const fence = { runId: runId(job.id ?? '', job.timestamp), attempt: 1 };
    expect((await ends(queue, job, 'completed'))?.returnvalue).toEqual({ ...fence, data: { to: 'ada' } });
    await stage.until('its end is told', () => told('succeeded').length === 1);
    expect(told('started')).toMatchObject([{ subject: fence.runId, attempt: 1 }]);
  });

  it('begins nothing where Jobwarden may act and takes the queue for its own while BullMQ recovers it, naming both', async () => {
    const { bullmq, queue } = made();
    stage.jobwarden.policy = { owner: 'jobwarden', 'actions.requeue': 'act', 'actions.retry': 'act' };
    const job = await queue.add('mail', {});
    const errors: Error[] = [];
    const worker = stage.keep(bullmq.worker(queue.name, () => Promise.resolve(1), options()));
    worker.on('error', (error) => errors.push(error));
    await expect(worker.waitUntilReady()).rejects.toThrow(/BullMQ \(maxStalledCount: 1, stalledInterval: 30000 ms\) and Jobwarden \(owner: jobwarden, requeue: act/u);
    await stage.until('it is emitted', () => errors.length > 0);
    expect(errors[0]).toMatchObject({ name: 'OwnersError' });
    expect(await stage.state(queue, job.id)).toBe('waiting');
  });

  it('begins nothing where Jobwarden owns and a job has retries of BullMQ’s, naming the job', async () => {
    const { bullmq } = made('jobwarden');
    const queue = stage.queue();
    const job = await queue.add('mail', {}, { attempts: 5 });
    const worker = stage.keep(bullmq.worker(queue.name, () => Promise.resolve(1), options()));
    worker.on('error', () => undefined);
    await expect(worker.waitUntilReady()).rejects.toThrow(`job "${job.id ?? ''}" has attempts: 5 of its own`);
    expect(await stage.state(queue, job.id)).toBe('waiting');
  });

  it('cancels a job as BullMQ does', async () => {
    const { bullmq, queue } = made();
    const handler = (_job: Job, _token: string, signal: AbortSignal) =>
      new Promise((_resolve, reject) => {
        const cancelled = () => reject(new Error('cancelled'));
        // It may be before the handler is called.
        if (signal.aborted) cancelled();
        signal.addEventListener('abort', cancelled, { once: true });
      });
    const worker = stage.keep(bullmq.worker(queue.name, handler, options()));
    const job = await queue.add('mail', {});
    await ends(queue, job, 'active');
    await stage.until('it is at work', () => worker.cancelJob(job.id ?? '', 'enough'));
    expect(await ends(queue, job, 'failed')).toMatchObject({ failedReason: 'cancelled' });
  });
});
