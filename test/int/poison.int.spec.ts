import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';
import type { Level } from '#libs/domain';

const T0 = 1_700_000_000_000;
const LEASE_MS = 30_000;
const worker = { worker: { id: 'w1' }, leaseMs: LEASE_MS };

describe('one event, one row that nobody expected', () => {
  let database: TestDatabase;
  let world: World;

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  async function running(level: Level, ...jobs: readonly string[]): Promise<void> {
    world = new World(database.url, fixedPolicies({ idempotent: true, leaseMs: LEASE_MS }, level));
    await world.startClock(T0);
    for (const job of jobs) await world.send({ type: 'queued', job }, { type: 'started', job, ...worker });
    await world.at(T0 + LEASE_MS);
  }

  it('grades by an attempt of any number in no time, and only what was judged', async () => {
    await running('observe', 'a');
    expect((await world.run()).wouldHave).toBe(1);
    const startedMs = performance.now();
    await world.send({ type: 'started', job: 'a', ...worker, attempt: 1_000_000_000 });
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    const graded = await world.database.query(`SELECT attempt, grade FROM jobwarden.verdicts`);
    expect(graded).toEqual([{ attempt: 1, grade: 'confirmed' }]);
  });

  it('keeps a beat of an attempt that no column holds from taking its batch along', async () => {
    await running('observe', 'a');
    const answers = await world.send(
      { type: 'heartbeat', job: 'a', ...worker },
      { type: 'heartbeat', job: 'a', ...worker, attempt: 4_294_967_295 },
    );
    expect(answers).toMatchObject([{ outcome: 'recorded' }, { outcome: 'quarantined', code: 'schema' }]);
  });

  it('reconciles the others beside a row that this program cannot write', async () => {
    await running('act', 'a', 'b', 'c', 'd', 'e');
    await world.database.query(`UPDATE jobwarden.jobs SET fold_version = 99 WHERE job_id = 'c'`);
    expect((await world.run()).decided).toBe(4);
    // It is left aside for a while, and then looked at again: somebody may have mended it.
    expect((await world.run()).looked).toBe(0);
    await world.database.query(`UPDATE jobwarden.jobs SET fold_version = 1 WHERE job_id = 'c'`);
    let decided = 0;
    for (let run = 0; run < 80 && decided === 0; run += 1) decided = (await world.run()).decided;
    expect(await world.job('c')).toMatchObject({ status: 'restart-requested' });
  });
});
