import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUSEKEEPING_AGES } from '#libs/application';
import { PERIOD_MS, PgHousekeeping, PgLaneClock, periodOf } from '#libs/postgres';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';

const worker = { worker: { id: 'w1' } };

describe('the HTTP lane across replicas', () => {
  let database: TestDatabase;
  let world: World;

  beforeEach(async () => {
    database = await createTestDatabase();
    world = new World(database.url, fixedPolicies({ idempotent: true, leaseMs: 30_000 }, 'act'));
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  const silent = async (seconds: number): Promise<void> => {
    await world.database.query(`UPDATE jobwarden.replicas SET beat_at = beat_at - make_interval(secs => $1)`, [seconds]);
  };

  it('is read as far as the slowest live replica says', async () => {
    const other = new PgLaneClock(world.database, randomUUID(), 'api');
    await world.read();
    await other.beat();
    const leave = other.enter();
    await other.beat();
    await other.beat();
    await world.read();
    const held = await world.clock.read();
    await other.beat();
    await world.read();
    expect((await world.clock.read()).http.readMs).toBe(held.http.readMs);
    expect(held.nowMs).toBeGreaterThan(held.http.readMs);
    leave();
    await other.beat();
    await other.beat();
    await world.read();
    expect((await world.clock.read()).http.readMs).toBeGreaterThan(held.http.readMs);
  });

  it('does not wait for a replica that has not said anything for five seconds', async () => {
    const other = new PgLaneClock(world.database, randomUUID(), 'api');
    await other.beat();
    await silent(6);
    await world.read();
    const first = await world.clock.read();
    await world.read();
    expect((await world.clock.read()).http.readMs).toBeGreaterThan(first.http.readMs);
  });

  it('takes a quick restart for no gap, and a time without any replica for one', async () => {
    await world.read();
    await silent(3);
    await new PgLaneClock(world.database, randomUUID(), 'api').beat();
    expect((await world.clock.read()).http.gapEndMs).toBe(0);
    await silent(10);
    await new PgLaneClock(world.database, randomUUID(), 'api').beat();
    const reading = await world.clock.read();
    expect(reading.http.gapEndMs).toBeGreaterThan(reading.nowMs - 5_000);
  });

  it('ends a gap only when the replica that found it takes requests, and is read no further until then', async () => {
    await world.read();
    await silent(10);
    const starting = new PgLaneClock(world.database, randomUUID(), 'api');
    await starting.start();
    try {
      const found = await world.clock.read();
      expect(found.http.gapEndMs).toBeGreaterThan(0);
      for (let beat = 0; beat < 3; beat += 1) await starting.beat();
      const waiting = await world.clock.read();
      expect(waiting.nowMs).toBeGreaterThan(found.nowMs);
      expect(waiting.http.readMs).toBeLessThanOrEqual(found.nowMs);
      await starting.opened();
      const opened = await world.clock.read();
      expect(opened.http.gapEndMs).toBeGreaterThan(waiting.nowMs - 1);
      await starting.refresh();
      expect((await world.clock.read()).http.readMs).toBeGreaterThan(waiting.nowMs - 1);
      await starting.opened();
      expect((await world.clock.read()).http.gapEndMs).toBe(opened.http.gapEndMs);
    } finally {
      await starting.stop();
    }
  });

  it('is read no further while nobody alive takes requests, until the gap has ended', async () => {
    await world.read();
    const before = await world.clock.read();
    await silent(10);
    // As this replica finds it that was stopped for ten seconds, before its next beat.
    expect((await world.clock.read()).http.readMs).toBeLessThanOrEqual(before.nowMs);
    const lookers = new PgLaneClock(world.database, randomUUID(), 'work');
    await lookers.beat();
    await lookers.beat();
    const held = await world.clock.read();
    expect(held.http).toMatchObject({ gapEndMs: 0 });
    expect(held.http.readMs).toBeLessThanOrEqual(before.nowMs);
    await world.read();
    const after = await world.clock.read();
    expect(after.http.gapEndMs).toBeGreaterThan(before.nowMs);
    expect(after.http.readMs).toBeGreaterThan(before.nowMs);
  });

  it('runs leases again in full after a gap', async () => {
    await world.startClock(1_700_000_000_000);
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...worker, leaseMs: 30_000 });
    await world.database.query('UPDATE jobwarden.lanes SET gap_end_ms = 1700000120000 WHERE lane = 0');
    await world.at(1_700_000_149_999);
    expect((await world.run()).rows).toEqual([]);
    await world.at(1_700_000_150_000);
    expect((await world.run()).rows).toMatchObject([{ decisions: ['restart-requested'] }]);
  });
});

describe('retention', () => {
  let database: TestDatabase;
  let world: World;

  beforeEach(async () => {
    database = await createTestDatabase();
    world = new World(database.url, fixedPolicies({}, 'observe'));
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  /** Events of long ago can only be made by a clock of long ago. */
  async function longAgo(work: () => Promise<unknown>): Promise<number> {
    const ms = Date.now() - 60 * 86_400_000;
    await world.startClock(ms);
    await work();
    await world.database.query(`UPDATE jobwarden.installation SET clock_mode = 'real'`);
    return periodOf(ms);
  }

  const run = async (): Promise<unknown> =>
    await new PgHousekeeping(world.database).run({ ...HOUSEKEEPING_AGES, retentionMs: 30 * 86_400_000 });

  it('drops a period once none of its jobs is live, keeps a summary, and quarantines what comes too late', async () => {
    const period = await longAgo(async () => {
      await world.send({ type: 'queued', job: 'old' }, { type: 'started', job: 'old', ...worker });
      await world.send({ type: 'succeeded', job: 'old', ...worker });
    });
    await world.send({ type: 'queued', job: 'new' });
    expect(await run()).toEqual({ droppedPeriods: [period], keptPeriods: [] });
    expect(await world.database.query('SELECT job_id, status, token FROM jobwarden.job_summaries')).toEqual([
      { job_id: 'old', status: 'succeeded', token: 1 },
    ]);
    expect(await world.send({ type: 'failed', job: 'old', error: { class: 'E', message: 'late' } })).toMatchObject([
      { outcome: 'quarantined', code: 'too_old' },
    ]);
    expect(await world.job('new')).toMatchObject({ status: 'queued' });
  });

  it('drops no period while somebody reads the log for long, as a dump does, and lets nobody wait for that', async () => {
    const period = await longAgo(async () => {
      await world.send({ type: 'queued', job: 'old' }, { type: 'cancelled', job: 'old' });
    });
    const dump = new pg.Client({ connectionString: database.url });
    await dump.connect();
    try {
      await dump.query('BEGIN; LOCK TABLE jobwarden.events IN ACCESS SHARE MODE');
      const cleaned = run();
      // The lock that the drop waits for, or does not wait for, stands in nobody's way for longer than a moment.
      expect(await world.send({ type: 'queued', job: 'new' })).toMatchObject([{ outcome: 'appended' }]);
      expect(await cleaned).toEqual({ droppedPeriods: [], keptPeriods: [period] });
      expect(await world.job('old')).toMatchObject({ status: 'cancelled' });
    } finally {
      await dump.end();
    }
    expect(await run()).toEqual({ droppedPeriods: [period], keptPeriods: [] });
  });

  it('keeps a period while a job in it is live, and refuses to drop one above the line', async () => {
    const period = await longAgo(async () => {
      await world.send({ type: 'queued', job: 'still' });
    });
    expect(await run()).toEqual({ droppedPeriods: [], keptPeriods: [period] });
    expect(await world.send({ type: 'started', job: 'still', ...worker })).toMatchObject([{ outcome: 'appended' }]);
    await expect(
      world.database.query('SELECT jobwarden.drop_period($1)', [Math.floor(Date.now() / PERIOD_MS)]),
    ).rejects.toThrow(/not below the retention line/);
  });

  it('lets closed quarantine entries go, and keeps open ones', async () => {
    await world.send({ type: 'jobwarden.job.odd.v1', job: 'a' }, { type: 'jobwarden.job.odd.v1', job: 'b' });
    await world.database.query(`UPDATE jobwarden.quarantine SET received_at = received_at - interval '1 year'`);
    await world.database.query(
      `UPDATE jobwarden.quarantine SET outcome = 'dismissed', closed_at = now() - interval '1 year' WHERE job_id = 'a'`,
    );
    await run();
    expect(await world.database.query('SELECT job_id FROM jobwarden.quarantine')).toEqual([{ job_id: 'b' }]);
  });

  it('forgets after a week which jobs were stuck', async () => {
    await world.database.query(`INSERT INTO jobwarden.stuck_jobs (job_key, run_id, found_at) SELECT sha256(d::text::bytea), d, now() - make_interval(days => d) FROM unnest(ARRAY[6, 8]) d`);
    await run();
    expect(await world.database.query('SELECT run_id FROM jobwarden.stuck_jobs')).toEqual([{ run_id: 6 }]);
  });

  it('never runs on a database with the manual clock', async () => {
    await world.startClock(Date.now() - 400 * 86_400_000);
    await world.send({ type: 'queued', job: 'a' }, { type: 'succeeded', job: 'a' });
    expect(await run()).toEqual({ droppedPeriods: [], keptPeriods: [] });
  });
});
