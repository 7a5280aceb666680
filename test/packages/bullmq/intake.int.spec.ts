import type { Bullmq } from '@jobwarden/bullmq';
import { FlowProducer, type Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redisLeftOut } from '#libs/testing';
import { readingOf } from './reading.js';
import { Stage } from './stage.js';

describe.skipIf(redisLeftOut())('who adds jobs to a BullMQ queue that is paused or throttled', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.end());

  function made(intake?: { readonly whenPaused: 'delay' | 'reject' }): { readonly bullmq: Bullmq; readonly queue: Queue } {
    stage.jobwarden.told.length = 0;
    stage.jobwarden.gate = { gate: 'paused' };
    const bullmq = stage.bullmq(intake === undefined ? {} : { intake });
    return { bullmq, queue: bullmq.watchQueue(stage.queue()) };
  }
  const waiting = async (queue: Queue): Promise<number> => await queue.getWaitingCount();

  it('adds them all the same, unless it is told otherwise', async () => {
    const { queue } = made();
    await queue.add('mail', {});
    expect(await waiting(queue)).toBe(1);
  });

  it('is refused by `reject`, one job or many or a tree, with nothing added and nothing told', async () => {
    const { bullmq, queue } = made({ whenPaused: 'reject' });
    const flows = bullmq.watchFlows(stage.keep(new FlowProducer({ connection: stage.connection })));
    const closed = { name: 'QueueClosedError', code: 'paused', queue: queue.name };
    await expect(queue.add('mail', {})).rejects.toMatchObject(closed);
    await expect(queue.addBulk([{ name: 'mail', data: {} }])).rejects.toMatchObject(closed);
    await expect(flows.add({ name: 'mail', queueName: 'other', children: [{ name: 'mail', queueName: queue.name }] })).rejects.toMatchObject({ ...closed, queue: 'other' });
    expect([await waiting(queue), stage.jobwarden.told]).toEqual([0, []]);
  });

  it('waits by `delay`, and adds them once the queue is open', async () => {
    const { queue } = made({ whenPaused: 'delay' });
    const added = queue.add('mail', {});
    expect(await waiting(queue)).toBe(0);
    stage.jobwarden.gate = { gate: 'open' };
    await added;
    expect(await waiting(queue)).toBe(1);
  });

  it('takes of a throttled queue as many places as it adds jobs', async () => {
    const { queue } = made({ whenPaused: 'reject' });
    stage.jobwarden.gate = { gate: 'throttled', perSecond: 0.001 };
    await queue.addBulk([{ name: 'mail', data: {} }, { name: 'mail', data: {} }]);
    await expect(queue.add('mail', {})).rejects.toMatchObject({ code: 'throttled', retryAfterMs: expect.toSatisfy((ms: number) => ms > 1_900_000) as number });
    expect(await waiting(queue)).toBe(2);
  });

  it('does not hold back what a command adds: the service has counted that', async () => {
    const queue = stage.bullmq({ intake: { whenPaused: 'reject' } }).watchQueue(stage.queue());
    stage.jobwarden.gate = { gate: 'paused' };
    const { command } = await readingOf(stage, queue);
    expect(await command({ id: 'gone', timestamp: 1 })).toBe('added');
  });
});
