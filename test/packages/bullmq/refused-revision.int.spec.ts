import type { Bullmq } from '@jobwarden/bullmq';
import type { Job, Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redisLeftOut } from '#libs/testing';
import { Stage } from './stage.js';

describe.skipIf(redisLeftOut())('BullMQ workers of two releases, one of them out of service', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.end());

  it.each(['queue', 'jobwarden'] as const)('run jobs with the other alone, lose and count none, and both again once it is let in; owner %s', async (owner) => {
    stage.jobwarden.policy = { owner, 'actions.requeue': 'act' };
    stage.jobwarden.refusedRevisions = ['bad'];
    const ran: string[] = [];
    const start = (revision: string, queue: Queue) => {
      const bullmq: Bullmq = stage.bullmq({ owner, worker: { revision, id: revision }, logger: { info: () => undefined, warn: () => undefined } });
      return stage.keep(bullmq.worker(queue.name, (job: Job) => Promise.resolve(void ran.push(`${revision} ${job.name}`)), { connection: stage.connection }));
    };
    const queue = stage.queue();
    // Alone, it takes the first, and gives it back.
    const bad = start('bad', queue);
    const first = await queue.add('1', {}, { attempts: 1 });
    await stage.until('it has stood aside', async () => bad.isPaused() && (await stage.state(queue, first.id)) === 'waiting');
    const jobs = [first, ...(await queue.addBulk(['2', '3', '4'].map((name) => ({ name, data: {}, opts: { attempts: 1 } }))))];
    start('good', queue);
    await stage.until('all are completed', async () => (await queue.getCompletedCount()) === 4);
    expect(ran).toEqual(['good 1', 'good 2', 'good 3', 'good 4']);
    expect(await Promise.all(jobs.map(async ({ id }) => (await queue.getJob(id ?? ''))?.attemptsMade))).toEqual([1, 1, 1, 1]);
    expect(stage.jobwarden.told.filter(({ type }) => type.includes('failed'))).toEqual([]);
    stage.jobwarden.refusedRevisions = [];
    await stage.until('it goes on', () => !bad.isPaused());
    let added = 4;
    await stage.until('both have run', async () => {
      added += 1;
      await queue.add('more', {});
      return ran.some((line) => line.startsWith('bad'));
    });
    await stage.until('all is done', async () => (await queue.getCompletedCount()) === added);
  });
});
