import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pgReadModels } from '#libs/postgres';
import { World, fixedPolicies, useTestDatabase, waitUntil } from '#libs/testing';

const T0 = 1_700_000_000_000;
const LEASE_MS = 30_000;
const worker = { worker: { id: 'w1' }, leaseMs: LEASE_MS };
const JOBS = 20;

/** As of a report that somebody left open, or a backup: nothing that dies meanwhile can be removed. */
describe('a snapshot that is held while jobs go on (F2)', () => {
  const database = useTestDatabase();
  let world: World;
  let holder: pg.Client;

  beforeAll(async () => {
    world = new World(database.url, fixedPolicies({ idempotent: true, leaseMs: LEASE_MS }, 'act'));
    await world.startClock(T0);
    for (let i = 0; i < JOBS; i += 1) await world.send({ type: 'queued', job: `j${i}` }, { type: 'started', job: `j${i}`, ...worker });
    // The first beat of an attempt stands for its start, where none was seen, and looks at the row.
    for (let i = 0; i < JOBS; i += 1) await world.send({ type: 'heartbeat', job: `j${i}`, ...worker });
    holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await holder.query('SELECT count(*) FROM jobwarden.jobs');
  });
  afterAll(async () => {
    await holder.end();
    await world.close();
  });

  const hotRows = async () =>
    await world.database.query<{ job: string; place: string; version: number }>(
      'SELECT job_id AS job, ctid::text AS place, row_version AS version FROM jobwarden.jobs ORDER BY job_id',
    );

  it('is not fed by heartbeats: they leave the rows of the jobs where they lie', async () => {
    const before = await hotRows();
    for (let beat = 1; beat <= 10; beat += 1) {
      await world.at(T0 + beat * 5_000);
      const answers = await world.send(...before.map(({ job }) => ({ type: 'heartbeat', job, ...worker })));
      expect(new Set(answers.map((a) => a.outcome))).toEqual(new Set(['recorded']));
    }
    expect(await hotRows()).toEqual(before);
    // They were heard all the same: the leases run on from the last of them.
    const [lease] = await world.database.query('SELECT min(beat_ms) AS ms FROM jobwarden.leases');
    expect(lease).toEqual({ ms: T0 + 50_000 });
  });

  it('blocks nothing and skips nothing: what falls due is decided, and new jobs are claimed', async () => {
    await world.at(T0 + 50_000 + LEASE_MS);
    const run = await world.run();
    expect({ looked: run.looked, decided: run.decided }).toEqual({ looked: JOBS, decided: JOBS });
    await world.send({ type: 'queued', job: 'new' });
    await expect(world.claim('new', { claimId: randomUUID(), ...worker })).resolves.toMatchObject({ kind: 'granted' });
    const numbers = await world.database.query(
      `SELECT shard FROM jobwarden.events GROUP BY shard HAVING count(*) <> max(number)`,
    );
    expect(numbers).toEqual([]);
  });

  it('is told by its age, and so is what it keeps', async () => {
    const { queues } = pgReadModels(world.database);
    expect(await queues.oldestXminAgeMs()).toBeGreaterThan(0);
    const dead = await queues.deadRows();
    expect(dead.map(({ table }) => table)).toEqual(expect.arrayContaining(['jobs', 'leases', 'queue_counters', 'shards']));
    for (const { table, ratio } of dead) expect(ratio, table).toSatisfy((r: number) => r >= 0 && r <= 1);
    await holder.query('COMMIT');
    const endedMs = performance.now();
    // Those of other databases count as well, as they hold back the same horizon; they end, too.
    await waitUntil('no older one is left', async () => ((await queues.oldestXminAgeMs()) ?? 0) < performance.now() - endedMs);
  });
});
