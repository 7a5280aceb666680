import type { CommandConsumer } from '@jobwarden/bullmq';
import type { Job, Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redisLeftOut } from '#libs/testing';
import { Stage } from './stage.js';

describe.skipIf(redisLeftOut())('a job that a worker has died with, and that no command will reach', () => {
  let stage: Stage;
  let asked = 0;

  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.end());

  /** Jobwarden says that of each job. */
  async function found(status: string): Promise<{ queue: Queue; job: Job; consumer: CommandConsumer }> {
    const queue = stage.queue();
    const job = await stage.abandoned(queue, { priority: 3 });
    stage.jobwarden.status = status;
    stage.jobwarden.policy = { owner: 'jobwarden', 'actions.requeue': 'act' };
    asked = 0;
    const { client } = stage.jobwarden;
    const counting: typeof client = { ...client, job: (of) => ((asked += 1), client.job(of)) };
    const consumer = stage.keep(stage.bullmq({ owner: 'jobwarden', client: counting }).consumeCommands(queue, { lookEveryMs: 20 }));
    await consumer.ready;
    return { queue, job, consumer };
  }

  it.each(['queued', 'requeued'])('waits again where Jobwarden has it as %s: as the same attempt, by its priority', async (status) => {
    const { queue, job, consumer } = await found(status);
    await stage.until('it was counted', () => Object.keys(consumer.stats()).length > 0);
    expect(await stage.state(queue, job.id)).toBe('prioritized');
    expect(consumer.stats()).toEqual({ 'abandoned:put-back': 1 });
    expect(await queue.getJob(job.id ?? '')).toMatchObject({ priority: 3, attemptsMade: 0, stalledCounter: 0 });
  });

  it.each([
    ['succeeded', 'completed'],
    ['dead-lettered', 'failed'],
    ['cancelled', 'failed'],
  ])('ends where Jobwarden has it as %s', async (status, state) => {
    const { queue, job, consumer } = await found(status);
    // Counted once Redis has answered, which is after others can see it.
    await stage.until('it was counted', () => Object.keys(consumer.stats()).length > 0);
    expect(await stage.state(queue, job.id)).toBe(state);
    expect(consumer.stats()).toEqual({ [`abandoned:${state}`]: 1 });
  });

  it('is left alone where its lease still has to end, or somebody holds its lock', async () => {
    const { queue, job } = await found('processing');
    await queue.add('mail', {});
    const held = await stage.take(queue, 'alive:1');
    const before = asked;
    await stage.until('it was looked at again and again', () => asked > before + 3);
    stage.jobwarden.status = 'queued';
    await stage.until('only the other one waits', async () => (await stage.state(queue, job.id)) === 'prioritized');
    expect(await stage.state(queue, held.id)).toBe('active');
  });
});
