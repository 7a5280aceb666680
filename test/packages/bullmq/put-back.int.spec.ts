import { runId, type Bullmq } from '@jobwarden/bullmq';
import type { Job, Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redisLeftOut } from '#libs/testing';
import { readingOf, type Reading } from './reading.js';
import { Stage } from './stage.js';

describe.skipIf(redisLeftOut())('an enqueue command in BullMQ', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.end());

  const reading = (queue: Queue, owner?: Bullmq['owner']): Promise<Reading> => readingOf(stage, queue, owner);

  it('puts the job of a dead worker back: the same native job, its options, its place by priority', async () => {
    const queue = stage.queue();
    const { command } = await reading(queue);
    const job = await stage.abandoned(queue, { priority: 7 });
    expect(await command(job)).toBe('put-back');
    expect(await stage.state(queue, job.id)).toBe('prioritized');
    const again = await queue.getJob(job.id ?? '');
    expect(again).toMatchObject({ data: { to: 'ada' }, priority: 7, opts: { priority: 7 } });
    expect(await queue.getJobCounts()).toMatchObject({ active: 0, prioritized: 1, waiting: 0 });
  });

  it('takes a copy for one, before the job is started again and after', async () => {
    const queue = stage.queue();
    const { command } = await reading(queue);
    const job = await stage.abandoned(queue);
    expect(await command(job)).toBe('put-back');
    expect(await command(job)).toBe('noted');
    const second = await stage.take(queue, 'live:1');
    expect(second.id).toBe(job.id);
    expect(await command(job)).toBe('copy');
    expect(await command(job, { attempt: 1, token: 1 })).toBe('older');
    expect(await stage.state(queue, job.id)).toBe('active');
    await second.moveToCompleted('done', 'live:1', false);
  });

  it('takes it from under a live lock where Jobwarden owns, and the worker that had it is refused', async () => {
    const queue = stage.queue();
    const { command } = await reading(queue);
    await queue.add('mail', {});
    const job = await stage.take(queue, 'hung:1');
    expect(await command(job)).toBe('put-back');
    await expect(job.moveToCompleted('late', 'hung:1', false)).rejects.toThrow(/lock/iu);
    expect(await stage.state(queue, job.id)).toBe('waiting');
  });

  it('leaves it under a live lock where the queue owns', async () => {
    const queue = stage.queue();
    const { command } = await reading(queue, 'queue');
    await queue.add('mail', {});
    const job = await stage.take(queue, 'alive:1');
    expect(await command(job)).toBe('running');
    await job.moveToCompleted('done', 'alive:1', false);
  });

  it('lets what had failed wait again, and leaves what waits where it is', async () => {
    const queue = stage.queue();
    const { command } = await reading(queue);
    await queue.add('mail', {});
    const failed = await stage.take(queue, 'w:1');
    await failed.moveToFailed(new Error('no'), 'w:1', false);
    expect(await command(failed)).toBe('retried');
    expect(await stage.state(queue, failed.id)).toBe('waiting');
    const delayed = await queue.add('mail', {}, { delay: 60_000 });
    expect(await command(delayed)).toBe('noted');
    expect(await stage.state(queue, delayed.id)).toBe('delayed');
  });

  it('does not run again what BullMQ has completed, and says so; unless a person wants it', async () => {
    const queue = stage.queue();
    const { command } = await reading(queue);
    await queue.add('mail', {});
    const job = await stage.take(queue, 'w:1');
    await job.moveToCompleted('done', 'w:1', false);
    expect(await command(job)).toBe('completed');
    await stage.until('it is told', () => stage.jobwarden.told.some(({ type }) => type === 'jobwarden.job.succeeded.v1'));
    expect(await command(job, { attempt: 3, token: 3, reason: 'the customer asked' })).toBe('retried');
    expect(await stage.state(queue, job.id)).toBe('waiting');
  });

  it('adds it again where it is gone, once, also when that one is over and removed before the copy comes', async () => {
    const queue = stage.queue();
    const { command } = await reading(queue);
    const gone = { id: 'gone', timestamp: 1_764_000_000_000 };
    expect(await command(gone, { kind: 'mail' })).toBe('added');
    expect(await command(gone, { kind: 'mail' })).toBe('copy');
    const job = await stage.take(queue, 'w:1', { removeOnComplete: { count: 0 } });
    expect(job).toMatchObject({ name: 'mail', data: { from: 'jobwarden' } });
    expect(job.id).toBe('gone@1764000000000~jobwarden~2~2');
    await job.moveToCompleted('done', 'w:1', false);
    expect(await command(gone, { kind: 'mail' })).toBe('copy');
    expect(await queue.getJobCountByTypes()).toBe(0);
  });

  it('puts back the job that an earlier command has added', async () => {
    const queue = stage.queue();
    const { command } = await reading(queue);
    const gone = { id: 'gone', timestamp: 1_764_000_000_000 };
    expect(await command(gone, { attempt: 2, token: 2 })).toBe('added');
    const job = await stage.take(queue, 'w:1');
    expect(await command(gone, { attempt: 3, token: 3 })).toBe('put-back');
    expect(await stage.state(queue, job.id)).toBe('waiting');
    expect(await queue.getJobCountByTypes()).toBe(1);
  });

  it('is not misled by another job under the same native id', async () => {
    const queue = stage.queue();
    const { command } = await reading(queue);
    const other = await queue.add('other', {}, { jobId: 'order-1' });
    expect(await command({ id: 'order-1', timestamp: other.timestamp - 1 })).toBe('added');
    expect((await queue.getJob('order-1'))?.name).toBe('other');
    expect(await queue.getJobCountByTypes()).toBe(2);
  });

  it('is done once by any number of consumers at once', async () => {
    const queue = stage.queue();
    const readers = [await reading(queue), await reading(queue), await reading(queue)];
    const jobs: Job[] = [];
    for (let i = 0; i < 20; i += 1) jobs.push(await stage.abandoned(queue));
    for (const job of jobs) stage.jobwarden.enqueue(runId(job.id ?? '', job.timestamp), { queue: queue.name });
    for (let i = 0; i < 20; i += 1) stage.jobwarden.enqueue(runId(`gone-${String(i)}`, 1), { queue: queue.name });
    await stage.until('all have read all', () => readers.every(({ outcomes }) => outcomes.length === 40));
    expect(await queue.getJobCounts()).toMatchObject({ active: 0, waiting: 40, delayed: 0 });
    expect(readers.flatMap(({ outcomes }) => outcomes).filter((outcome) => outcome === 'added')).toHaveLength(20);
  });

  it('goes on where it stopped', async () => {
    const queue = stage.queue();
    const { command } = await reading(queue);
    const job = await stage.abandoned(queue);
    await command(job);
    const client = await queue.backend.client;
    await stage.until('the position is kept', async () => (await client.get(`bull:${queue.name}:jobwarden:position`)) !== null);
  });

  it('ends what waits and nobody wants any more without a call of its handler, and removes nothing', async () => {
    const queue = stage.queue();
    const { outcomes } = await reading(queue);
    stage.jobwarden.status = 'cancelled';
    const job = await queue.add('mail', {});
    stage.jobwarden.stop(runId(job.id ?? '', job.timestamp), { queue: queue.name, attempt: 1, token: 1 });
    await stage.until('the stop is read', () => outcomes.includes('stopped'));
    let ran = 0;
    stage.keep(stage.bullmq({ owner: 'jobwarden' }).worker(queue.name, () => Promise.resolve((ran += 1)), { connection: stage.connection }));
    await stage.until('it has failed', async () => (await stage.state(queue, job.id)) === 'failed');
    expect(ran).toBe(0);
    expect((await queue.getJob(job.id ?? ''))?.failedReason).toBe('Jobwarden: cancelled');
  });
});
