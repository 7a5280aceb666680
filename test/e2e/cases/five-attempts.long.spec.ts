import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cliEntry, createTestDatabase, startProcess, waitUntil } from '#libs/testing';
import { event, Shipped } from './shipped.js';

const POLICY = `
defaults: {grace: 200ms, actions: act, idempotent: true, maxRetries: 4, backoff: {initial: 100ms, max: 100ms, jitter: 0}}
`;

describe('five attempts', () => {
  const cleanUp: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  });

  it('C3: are exactly five starts, though worker and reconciler are killed in each, and then a dead letter', async () => {
    const database = await createTestDatabase();
    cleanUp.push(() => database.drop());
    const service = await Shipped.start({ databaseUrl: database.url, policy: POLICY });
    cleanUp.push(() => service.end());
    const job = async () => await service.get<{ status: string; attempt: number; waitsFor: string | null }>('/v1/queues/q/jobs/five');
    await service.send([event('queued', 'five')]);

    let starts = 0;
    for (;;) {
      await waitUntil('it waits for a worker, or is given up', async () => ['queued', 'requeued', 'dead-lettered'].includes((await job()).status));
      const { status, attempt } = await job();
      if (status === 'dead-lettered') break;
      starts += 1;
      expect(attempt).toBe(starts);
      // Every other one says that it failed before it dies.
      const ends = attempt % 2 === 0 ? 'failed' : 'silent';
      const worker = startProcess({
        entry: join(import.meta.dirname, 'mortal-worker.mjs'),
        env: { JOBWARDEN: service.url, ATTEMPT: String(attempt), ENDS: ends },
      });
      cleanUp.push(() => worker.kill());
      await worker.waitForOutput(/there/u);
      await Promise.all([worker.kill(), service.kill()]);
      await service.startAgain();
    }
    expect(starts).toBe(5);
    const log = await service.all<{ type: string; data: { attempt: number } }>('/v1/queues/q/jobs/five/events');
    const told = log.filter(({ type }) => type === 'jobwarden.job.started.v1').map(({ data }) => data.attempt);
    expect(told).toEqual([1, 2, 3, 4, 5]);
    const letter = await service.get<{ chain: readonly { attempt: number; ended: string }[] }>('/v1/dead-letters/one?queue=q&id=five');
    expect(letter.chain.map(({ attempt, ended }) => [attempt, ended])).toEqual([[1, 'lost'], [2, 'failed'], [3, 'lost'], [4, 'failed'], [5, 'lost']]);
    // All of it is a fold over the log: refolded from there, the row is the same.
    await waitUntil('whoever may still be at it is told to stop', async () => (await job()).waitsFor === null);
    const before = await job();
    for (const args of [['audit'], ['rebuild']]) {
      const run = startProcess({ entry: cliEntry, args, env: { JOBWARDEN_DATABASE_URL: database.url } });
      expect((await run.exited).code, run.output()).toBe(0);
    }
    expect(await job()).toEqual(before);
  });
});
