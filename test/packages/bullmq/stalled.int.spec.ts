import type { Bullmq } from '@jobwarden/bullmq';
import { FlowProducer, type Job, type Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redisLeftOut } from '#libs/testing';
import { readingOf } from './reading.js';
import { Stage } from './stage.js';

describe.skipIf(redisLeftOut())('a job that BullMQ is about to fail without a run, and that is put back', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.end());

  const deferred = async (queue: Queue, job: Job) => await (await queue.backend.client).hget(queue.toKey(job.id ?? ''), 'defa');

  /** BullMQ's own check has found it stalled once too often: it waits, for a worker that fails it. */
  async function stalledTooOften(queue: Queue): Promise<Job> {
    const job = await stage.abandoned(queue);
    const { backend } = stage.byHand(queue, { maxStalledCount: 0, stalledInterval: 1, skipStalledCheck: true });
    await stage.until('BullMQ gives it up', async () => {
      await backend.moveStalledJobsToWait();
      return (await deferred(queue, job)) !== null;
    });
    expect(await stage.state(queue, job.id)).toBe('waiting');
    return job;
  }

  async function run(queue: Queue, owner: Bullmq['owner'] = 'queue'): Promise<readonly number[]> {
    const ran: number[] = [];
    const handler = (job: Job) => Promise.resolve(ran.push(job.stalledCounter));
    stage.keep(stage.bullmq({ owner }).worker(queue.name, handler, { connection: stage.connection }));
    await stage.until('it has ended', async () => (await queue.getJobCountByTypes('completed', 'failed')) === 1);
    return ran;
  }

  it('while it waits: runs once more, and ends completed', async () => {
    const queue = stage.queue();
    const { command } = await readingOf(stage, queue, 'queue');
    const job = await stalledTooOften(queue);
    expect(await command(job)).toBe('noted');
    expect(await run(queue)).toEqual([1]);
    expect(await stage.state(queue, job.id)).toBe('completed');
    await stage.until('Jobwarden is told', () => stage.jobwarden.told.some(({ type, data }) => type === 'jobwarden.job.succeeded.v1' && data['attempt'] === 2));
  });

  it('while a worker has it in hand to fail it: is taken from that one, and ends completed', async () => {
    const queue = stage.queue();
    const { command } = await readingOf(stage, queue, 'queue');
    await stalledTooOften(queue);
    const job = await stage.take(queue, 'fails-it:1');
    expect(job.deferredFailure).toMatch(/stalled/u);
    expect(await command(job)).toBe('put-back');
    await expect(job.moveToFailed(new Error('stalled too often'), 'fails-it:1', false)).rejects.toThrow(/lock/iu);
    expect(await run(queue)).toEqual([1]);
    expect(await stage.state(queue, job.id)).toBe('completed');
  });

  it('is left to fail where a child of it has failed', async () => {
    const [queue, children] = [stage.queue(), stage.queue()];
    const { command } = await readingOf(stage, queue, 'queue');
    const flows = stage.keep(new FlowProducer({ connection: stage.connection }));
    const child = { name: 'part', queueName: children.name, opts: { failParentOnFailure: true } };
    const { job } = await flows.add({ name: 'mail', queueName: queue.name, children: [child] });
    const taken = await stage.take(children, 'child:1');
    await taken.moveToFailed(new Error('no'), 'child:1', false);
    await stage.until('its parent waits', async () => (await stage.state(queue, job.id)) === 'waiting');
    expect(await command(job)).toBe('noted');
    expect(await run(queue)).toEqual([]);
    expect(await queue.getJob(job.id ?? '')).toMatchObject({ failedReason: expect.stringContaining('child') as string });
  });
});
