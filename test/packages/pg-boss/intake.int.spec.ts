import { createPgBoss, runId, type JobwardenPgBoss, type PutBack } from '@jobwarden/pg-boss';
import { PgBoss } from 'pg-boss';
import { afterEach, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { ScriptedJobwarden } from '../bullmq/scripted-jobwarden.js';

const silent = { info: () => undefined, warn: () => undefined };

describe('who sends jobs to a pg-boss queue that is paused or throttled', () => {
  const database = useTestDatabase({ empty: true });
  const open: { close(): Promise<unknown> }[] = [];
  let jobwarden: ScriptedJobwarden;
  let count = 0;

  // A pg-boss is watched for good, so each test has one of its own.
  async function made(intake?: { readonly whenPaused: 'delay' | 'reject' }): Promise<{ readonly binding: JobwardenPgBoss; readonly boss: PgBoss; readonly queue: string; readonly rows: () => Promise<number> }> {
    count += 1;
    const queue = `q${String(count)}`;
    jobwarden = new ScriptedJobwarden();
    jobwarden.policy = { owner: 'jobwarden', 'actions.requeue': 'act' };
    jobwarden.gate = { gate: 'paused' };
    const boss = new PgBoss({ connectionString: database.url, supervise: false, schedule: false });
    boss.on('error', () => undefined);
    await boss.start();
    open.push({ close: () => boss.stop({ graceful: false }) });
    await boss.createQueue(queue, { retryLimit: 0 });
    const binding = createPgBoss(boss, { owner: 'jobwarden', client: jobwarden.client, logger: silent, ...(intake !== undefined && { intake }) });
    open.push(binding);
    return { binding, boss: binding.watchBoss(boss), queue, rows: async () => (await boss.findJobs(queue)).length };
  }
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  it('sends them all the same, unless it is told otherwise', async () => {
    const { boss, queue, rows } = await made();
    await boss.send(queue, {});
    expect(await rows()).toBe(1);
  });

  it('is refused by `reject`, in every way of sending, with nothing sent and nothing told', async () => {
    const { boss, queue, rows } = await made({ whenPaused: 'reject' });
    const closed = { name: 'QueueClosedError', code: 'paused', queue };
    await expect(boss.send(queue, {})).rejects.toMatchObject(closed);
    await expect(boss.send({ name: queue, data: {} })).rejects.toMatchObject(closed);
    await expect(boss.sendAfter(queue, {}, {}, 10)).rejects.toMatchObject(closed);
    await expect(boss.insert(queue, [{ data: {} }])).rejects.toMatchObject(closed);
    expect([await rows(), jobwarden.told]).toEqual([0, []]);
  });

  it('waits by `delay`, and sends them once the queue is open', async () => {
    const { boss, queue, rows } = await made({ whenPaused: 'delay' });
    const sent = boss.send(queue, {});
    expect(await rows()).toBe(0);
    jobwarden.gate = { gate: 'open' };
    expect(await sent).not.toBeNull();
    expect(await rows()).toBe(1);
  });

  it('takes of a throttled queue as many places as it inserts jobs', async () => {
    const { boss, queue, rows } = await made({ whenPaused: 'reject' });
    jobwarden.gate = { gate: 'throttled', perSecond: 0.001 };
    await boss.insert(queue, [{ data: {} }, { data: {} }]);
    await expect(boss.send(queue, {})).rejects.toMatchObject({ code: 'throttled', retryAfterMs: expect.toSatisfy((ms: number) => ms > 1_900_000) as number });
    expect(await rows()).toBe(2);
  });

  it('does not hold back what a command adds: the service has counted that', async () => {
    const { binding, queue, rows } = await made({ whenPaused: 'reject' });
    const outcomes: (PutBack | 'stopped' | 'none')[] = [];
    await binding.consumeCommands(queue, { onCommand: (_, outcome) => void outcomes.push(outcome) }).ready;
    await waitUntil('it reads', () => jobwarden.readers === 1);
    jobwarden.enqueue(runId({ nativeId: '7f9c24e5-2c4a-4d3e-9a8b-1f2e3d4c5b6a', createdMs: 1_764_470_000_000 }), { queue });
    await waitUntil('the command is dealt with', () => outcomes.length === 1);
    expect([outcomes, await rows()]).toEqual([['added'], 1]);
  });
});
