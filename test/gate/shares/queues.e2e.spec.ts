import { Queue } from 'bullmq';
import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, redisLeftOut, startRedis } from '#libs/testing';
import { Crew } from './crew.js';
import { HeldWork } from './held-work.js';

const ROUNDS = 20;

describe('nine workers of the old release and one of the new, as deploy/canary/queue-workers.yaml has them', () => {
  let crew: Crew;
  const after: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    crew = await Crew.start();
  });
  afterAll(async () => {
    await crew.end();
    for (const step of after.reverse()) await step();
  });

  /** A first round by which both are heard of, then those that are judged. */
  const shares = async (binding: 'bullmq' | 'pg-boss', place: string | number, add: (jobs: number) => Promise<unknown>) => {
    const held = await HeldWork.start(10);
    after.push(() => held.stop());
    const members = await crew.join({ binding, manifest: 'queue-workers.yaml', queue: binding, place, held: held.url });
    expect(members).toBe(10);
    await add(members);
    await crew.until(binding, members);
    await crew.nextStretch();
    await add(members * ROUNDS);
    await crew.until(binding, members * (1 + ROUNDS));
    await crew.nextStretch();
    await crew.nextStretch();
    const { canary, samples, verdict } = await crew.gate(binding);
    return { canary, samples, verdict };
  };
  const tenth = { canary: { revision: '2.0.0', track: 'canary' }, samples: { canary: ROUNDS, stable: 9 * ROUNDS }, verdict: 'inconclusive' };

  it.skipIf(redisLeftOut())('share a queue of BullMQ: a tenth is the canary’s, and the gate sees both', async () => {
    const redis = await startRedis();
    const queue = new Queue('bullmq', { connection: { host: '127.0.0.1', port: redis.port } });
    after.push(() => redis.stop(), () => queue.close());
    expect(await shares('bullmq', redis.port, (jobs) => queue.addBulk(Array.from({ length: jobs }, () => ({ name: 'mail', data: {} }))))).toEqual(tenth);
  });

  it('share a queue of pg-boss: a tenth is the canary’s, and the gate sees both', async () => {
    const theirs = await createTestDatabase({ empty: true });
    const boss = new PgBoss({ connectionString: theirs.url, supervise: false, schedule: false });
    boss.on('error', () => undefined);
    await boss.start();
    await boss.createQueue('pg-boss', { retryLimit: 0 });
    after.push(() => theirs.drop(), () => boss.stop({ graceful: false }));
    expect(await shares('pg-boss', theirs.url, (jobs) => boss.insert('pg-boss', Array.from({ length: jobs }, () => ({ data: {} }))))).toEqual(tenth);
  });
});
