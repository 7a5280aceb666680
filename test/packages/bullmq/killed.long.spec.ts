import { runId } from '@jobwarden/bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redisLeftOut, useTestDatabase } from '#libs/testing';
import { KillStage } from './kill-stage.js';

describe.skipIf(redisLeftOut())('a BullMQ worker that is killed', () => {
  const database = useTestDatabase();
  let stage: KillStage;

  beforeAll(async () => {
    stage = await KillStage.start(database.url);
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.end());

  it('with fifty jobs in hand is no blackout: each comes back once (A6)', async () => {
    const queue = stage.queue('many', 'jobwarden');
    await stage.commandsOf(queue);
    const first = await stage.worker({ queue: 'many', id: 'first', owner: 'jobwarden', concurrency: 50 });
    await queue.addBulk(Array.from({ length: 50 }, (_, i) => ({ name: 'mail', data: { name: String(i), hangs: [1] } })));
    await stage.until('all are begun', async () => (await stage.connection.llen('starts')) === 50);
    await first.kill();
    await stage.worker({ queue: 'many', id: 'second', owner: 'jobwarden', concurrency: 50 });
    await stage.until('all have ended', async () => (await queue.getCompletedCount()) === 50);
    expect(await stage.connection.llen('starts')).toBe(100);
    expect(new Set(await stage.ends()).size).toBe(50);
  });

  it('by its job, three times, leaves a poison pill: a dead letter with its owners, and a failed job in BullMQ (C1)', async () => {
    const queue = stage.queue('poison', 'jobwarden');
    await stage.commandsOf(queue);
    const job = await queue.add('mail', { name: 'p', hangs: [1, 2, 3] });
    for (const attempt of [1, 2, 3]) {
      const victim = await stage.worker({ queue: 'poison', id: `victim-${String(attempt)}`, owner: 'jobwarden', concurrency: 2 });
      await victim.waitForOutput(new RegExp(`started p ${String(attempt)}`, 'u'));
      if (attempt === 2) {
        // Written is not ended: killed in between, it rightly runs once more.
        const innocent = await queue.add('mail', { name: 'innocent' });
        await stage.until('both know of its end', async () => (await innocent.isCompleted()) && (await stage.report(innocent)).status === 'succeeded');
      }
      await victim.kill();
    }
    await stage.until('it is a dead letter', async () => (await stage.report(job)).status === 'dead-lettered');
    expect((await stage.report(job)).attempts.flatMap(({ workers }) => workers.map(({ id }) => id))).toEqual(['victim-1', 'victim-2', 'victim-3']);
    const id = encodeURIComponent(runId(job.id ?? '', job.timestamp));
    expect(await stage.service.get(`/v1/dead-letters/one?queue=poison&id=${id}`)).toMatchObject({ reason: 'poison_pill' });
    await stage.until('it has failed in BullMQ, too', async () => (await job.getState()) === 'failed');
    expect(await stage.starts()).toEqual(['p 1', 'p 2', 'innocent 1', 'p 3']);
  });
});
