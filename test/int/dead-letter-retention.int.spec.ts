import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { ExpireDeadLetters, HOUSEKEEPING_AGES, OperateJob, RedriveMany, type PolicySource } from '#libs/application';
import { PgDeadLetterShelf, PgHousekeeping, pgReadModels, PgRedriveStore } from '#libs/postgres';
import { createTestDatabase, fixedPolicies, World, type TestDatabase } from '#libs/testing';

const DAY_MS = 86_400_000;
const DEAD = { idempotent: true, maxRetries: 0 };

/** The queue `brief` keeps its dead letters for a week, all others for thirty days. */
const policies: PolicySource = {
  version: 'fixed',
  policyFor: ({ queue }) => fixedPolicies({ ...DEAD, retentionMs: (queue === 'brief' ? 7 : 30) * DAY_MS }, 'act').policyFor({ namespace: 'default', queue }, null),
};

describe('dead letters that nobody takes', () => {
  let database: TestDatabase;
  let world: World;
  beforeEach(async () => {
    database = await createTestDatabase();
    world = new World(database.url, policies);
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  /** Events of long ago can only be made by a clock of long ago. */
  async function died(daysAgo: number, queue: string, job: string): Promise<void> {
    await world.startClock(Date.now() - daysAgo * DAY_MS);
    await world.send({ type: 'queued', queue, job }, { type: 'failed', queue, job, retryable: false, error: { class: 'E', message: 'no' } });
    await world.run();
    await world.database.query(`UPDATE jobwarden.installation SET clock_mode = 'real'`);
  }
  const shelf = () => new PgDeadLetterShelf(world.database);
  async function expire(): Promise<void> {
    const operate = new OperateJob(world.log, policies, pgReadModels(world.database).jobs);
    while (await new ExpireDeadLetters(shelf(), operate, policies).step());
  }
  const housekeeping = async () => await new PgHousekeeping(world.database).run({ ...HOUSEKEEPING_AGES, retentionMs: 30 * DAY_MS });

  it('are discarded when the retention of their own queue is over, by a decision that says so', async () => {
    await died(8, 'brief', 'a-week');
    await died(8, 'patient', 'kept');
    await died(31, 'patient', 'a-month');
    await expire();
    const statuses = await world.database.query(`SELECT job_id AS id, status FROM jobwarden.jobs ORDER BY job_id`);
    expect(statuses).toEqual([
      { id: 'a-month', status: 'discarded' },
      { id: 'a-week', status: 'discarded' },
      { id: 'kept', status: 'dead-lettered' },
    ]);
    const [decision] = await world.database.query<{ data: string }>(
      `SELECT data FROM jobwarden.events e JOIN jobwarden.jobs j USING (job_key) WHERE j.job_id = 'a-week' ORDER BY e.number DESC LIMIT 1`,
    );
    expect(JSON.parse(decision!.data)).toMatchObject({ by: 'jobwarden:retention', reason: 'nobody took it within the retention of 604800 s' });
  });

  it('are not taken away with their week of the log before that', async () => {
    await died(60, 'patient', 'forgotten');
    expect(await housekeeping()).toMatchObject({ droppedPeriods: [], keptPeriods: [expect.any(Number)] });
    expect(await shelf().standing()).toMatchObject([{ queue: 'patient', letters: 1 }]);
    await expire();
    expect(await housekeeping()).toMatchObject({ droppedPeriods: [expect.any(Number)], keptPeriods: [] });
    expect(await world.database.query('SELECT status FROM jobwarden.job_summaries')).toEqual([{ status: 'discarded' }]);
  });

  it('are left to whoever takes them in the moment in which they are found', async () => {
    await died(8, 'brief', 'redriven');
    await died(8, 'kept', 'discarded');
    const operate = new OperateJob(world.log, policies, pgReadModels(world.database).jobs);
    const ann = { by: 'ann', reason: 'just now' };
    /** A person is quicker by the time between the look and the lock. */
    const after = (id: string, queue: string, action: 'redrive' | 'discard'): Pick<OperateJob, 'callAll'> => ({
      callAll: async (...call) => {
        expect(await operate.call({ namespace: 'default', queue, id }, action, ann)).toMatchObject({ kind: 'done' });
        return await operate.callAll(...call);
      },
    });
    await new ExpireDeadLetters(shelf(), after('redriven', 'brief', 'redrive'), policies).step();
    const redrives = new RedriveMany(new PgRedriveStore(world.database), after('discarded', 'kept', 'discard'));
    const filter = { namespace: 'default', queue: 'kept' };
    const started = await redrives.call({ filter, count: 1, perSecond: 10, force: false, by: 'bob', reason: 'again' });
    expect(await redrives.step()).toBe(true);
    expect(started).toMatchObject({ kind: 'started' });
    expect(await new PgRedriveStore(world.database).list(filter, { limit: 1, after: null })).toMatchObject({ items: [{ redriven: 0, refusals: { not_meant: 1 } }] });
    expect(await world.database.query(`SELECT job_id AS id, status FROM jobwarden.jobs ORDER BY job_id`)).toEqual([
      { id: 'discarded', status: 'discarded' },
      { id: 'redriven', status: 'requeued' },
    ]);
  });

  it('stay where time is set by hand', async () => {
    await died(31, 'patient', 'replayed');
    await world.startClock(Date.now());
    await expire();
    expect(await shelf().standing()).toMatchObject([{ queue: 'patient', letters: 1 }]);
  });
});

describe('how dead letters stand', () => {
  let database: TestDatabase;
  let world: World;
  beforeAll(async () => {
    database = await createTestDatabase();
    world = new World(database.url, fixedPolicies(DEAD, 'act'));
    await world.startClock(1_000_000_000);
  });
  afterAll(async () => {
    await world.close();
    await database.drop();
  });

  const die = async (queue: string, job: string) => {
    await world.send({ type: 'queued', queue, job }, { type: 'failed', queue, job, retryable: false, error: { class: 'E', message: 'no' } });
    await world.run();
  };
  const review = async (queue: string | null) =>
    await world.database.query(
      `INSERT INTO jobwarden.dead_letter_reviews (namespace, queue, at_ms, made_by, reason) VALUES ('default', $1, jobwarden.lane_now(), 'ada', 'routine')`,
      [queue],
    );
  const standing = async () => await new PgDeadLetterShelf(world.database).standing();

  it('is told by queue: how many, the age of the oldest, and of the oldest that nobody has looked at', async () => {
    expect(await standing()).toEqual([]);
    await die('a', '1');
    await die('b', '1');
    await world.at(1_000_060_000);
    const [a, b] = await standing();
    expect(a).toEqual({ namespace: 'default', queue: 'a', letters: 1, oldestMs: 60_000, unreviewedMs: 60_000 });
    expect(b).toMatchObject({ queue: 'b', unreviewedMs: 60_000 });
    await review('a');
    expect((await standing()).map(({ unreviewedMs }) => unreviewedMs)).toEqual([null, 60_000]);
    await review(null);
    await world.at(1_000_090_000);
    await die('b', '2');
    await world.at(1_000_100_000);
    expect(await standing()).toMatchObject([
      { queue: 'a', letters: 1, oldestMs: 100_000, unreviewedMs: null },
      { queue: 'b', letters: 2, oldestMs: 100_000, unreviewedMs: 10_000 },
    ]);
  });
});
