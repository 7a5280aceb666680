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

  it('is then acted on: its job runs once more and once only to its end (A5)', async () => {
    const queue = stage.queue('owned', 'jobwarden');
    const commands = await stage.commandsOf(queue);
    const first = await stage.worker({ queue: 'owned', id: 'first', owner: 'jobwarden' });
    const job = await queue.add('mail', { name: 'b', hangs: [1] });
    await first.waitForOutput(/started b 1/u);
    await stage.worker({ queue: 'owned', id: 'second', owner: 'jobwarden' });
    await first.kill();
    await stage.until('it is completed', async () => (await job.getState()) === 'completed');
    expect(await stage.starts()).toEqual(['b 1', 'b 2']);
    expect(await stage.ends()).toEqual(['b 2 written']);
    expect(commands.stats()).toMatchObject({ 'put-back': 1 });
    expect(await stage.report(job)).toMatchObject({ status: 'succeeded', attempt: 2 });
  });

  it('is refused when it comes back: the sink holds one write, and BullMQ one result (B2)', async () => {
    const queue = stage.queue('fenced', 'jobwarden');
    await stage.commandsOf(queue);
    const first = await stage.worker({ queue: 'fenced', id: 'first', owner: 'jobwarden' });
    const job = await queue.add('mail', { name: 'c', hangs: [1] });
    await first.waitForOutput(/started c 1/u);
    process.kill(first.pid, 'SIGSTOP');
    await stage.worker({ queue: 'fenced', id: 'second', owner: 'jobwarden' });
    await stage.until('it is completed', async () => (await job.getState()) === 'completed');
    await stage.connection.set('go', '1');
    process.kill(first.pid, 'SIGCONT');
    await first.waitForOutput(/refused c 1/u);
    expect(await stage.ends()).toEqual(['c 2 written', 'c 1 refused']);
    expect(await stage.connection.lrange(`sink:{${runId(job.id ?? '', job.timestamp)}}:lines`, 0, -1)).toEqual(['by second, attempt 2']);
    expect((await queue.getJob(job.id ?? ''))?.returnvalue).toBe('by second, attempt 2');
  });
});
