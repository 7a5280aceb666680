// Thresholds from history: what the counters hold, the look that uses it, and jobs that were scheduled for a longer one.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LearnedThresholds, Rebuild, RebuildSchedules, withLearned, type PolicySource } from '#libs/application';
import { bucketUpperMs, runTimeBucket } from '#libs/domain';
import { PgAuditStore, PgLearnedStore } from '#libs/postgres';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';

const T0 = 1_700_000_000_000;
const MINUTE = 60_000;
const RUN = 10 * MINUTE;
const LEARNED = Math.round(2 * bucketUpperMs(runTimeBucket(RUN)));

describe('what history teaches', () => {
  let database: TestDatabase;
  let world: World;
  let thresholds: LearnedThresholds;

  beforeEach(async () => {
    database = await createTestDatabase();
    const late = { of: (...asked: Parameters<LearnedThresholds['of']>) => thresholds.of(...asked) };
    const policies = withLearned(fixedPolicies({ idempotent: true, maxRetries: 0 }, 'act'), late);
    world = new World(database.url, policies);
    thresholds = learning(world.policies);
    await world.startClock(T0);
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  function learning(policies: PolicySource): LearnedThresholds {
    const store = new PgLearnedStore(world.database);
    return new LearnedThresholds(store, {
      page: 1,
      reschedule: async (queue) => {
        await new RebuildSchedules(store, world.log, policies).run({ queues: [queue] });
      },
    });
  }

  /** Jobs of a kind that ended well after so long. */
  async function ended(count: number, durationMs: number, kind: string, queue = 'q'): Promise<void> {
    const jobs = Array.from({ length: count }, (_, i) => `${queue}-${kind}-${String(i)}`);
    await world.send(...jobs.map((job) => ({ type: 'queued', job, kind, queue })));
    await world.send(...jobs.map((job) => ({ type: 'succeeded', job, durationMs, queue })));
  }

  async function round(): Promise<void> {
    while (await thresholds.turn());
  }

  const begin = (job: string, kind?: string) =>
    world.send({ type: 'queued', job, ...(kind !== undefined && { kind }) }, { type: 'started', job, worker: { id: 'w' } });

  it('is kept per kind and queue, read in pages, and comes as a threshold with what it rests on', async () => {
    await ended(50, RUN, 'slow');
    await ended(60, 2 * MINUTE, 'quick');
    await ended(5, RUN, 'other', 'r');
    expect(thresholds.of({ namespace: 'default', queue: 'q' }, 'slow')).toBeNull();
    await thresholds.refresh();
    const of = (kind: string | null, queue = 'q') => thresholds.of({ namespace: 'default', queue }, kind);
    expect(of('slow')).toMatchObject({ ms: LEARNED, from: 'kind', samples: 50 });
    expect(of('quick')).toMatchObject({ from: 'kind', samples: 60 });
    expect(of(null)).toMatchObject({ ms: LEARNED, from: 'queue', samples: 110 });
    expect(of('unheard of')).toEqual(of(null));
    expect(of(null, 'r')).toBeNull();
  });

  it('is the threshold of a verdict, which names it and says of how many runs it comes', async () => {
    await ended(60, RUN, '');
    await thresholds.refresh();
    await begin('a');
    expect(await world.job('a')).toMatchObject({ waitsFor: 'stuck-after', lookAtMs: T0 + LEARNED });
    await world.at(T0 + LEARNED);
    const { rows } = await world.run();
    expect(rows).toMatchObject([{ verdict: 'lost', threshold: { source: 'learned', ms: LEARNED } }]);
    const [decided] = await world.database.query<{ evidence: Record<string, unknown> }>(
      `SELECT data::json -> 'evidence' AS evidence FROM jobwarden.events WHERE n = 1`,
    );
    expect(decided?.evidence).toMatchObject({ learned: { ms: LEARNED, from: 'queue', samples: 60, quantile: 0.99, factor: 2 } });
  });

  it('that has grown since a job was scheduled moves it on, without a verdict', async () => {
    await ended(60, RUN, '');
    await thresholds.refresh();
    await begin('a');
    await ended(60, 4 * RUN, 'longer');
    await round();
    await world.at(T0 + LEARNED);
    expect((await world.run()).rows).toEqual([]);
    const { lookAtMs } = await world.job('a');
    expect(lookAtMs).toBeGreaterThan(T0 + 8 * RUN - 1);
  });

  it('that has shrunk since a job was scheduled brings its look forward, a round later', async () => {
    await begin('a');
    await world.send({ type: 'queued', job: 'b' }, { type: 'started', job: 'b', worker: { id: 'w' }, leaseMs: 1_000 });
    expect((await world.job('a')).lookAtMs).toBe(T0 + 60 * MINUTE);
    await ended(60, RUN, '');
    await round();
    expect((await world.job('a')).lookAtMs).toBe(T0 + 60 * MINUTE);
    await round();
    expect(await world.job('a')).toMatchObject({ lookAtMs: T0 + LEARNED, n: 0 });
    expect((await world.job('b')).lookAtMs).toBe(T0 + 1_000);
  });

  it('is what a rebuild plans by, from the run times that it has put right', async () => {
    await begin('a');
    await ended(60, RUN, '');
    await world.database.query('DELETE FROM jobwarden.run_times');
    const schedules = { log: world.log, policies: world.policies, learn: () => thresholds.refresh() };
    expect(await new Rebuild(new PgAuditStore(world.database, 16), schedules).run()).toMatchObject({ kind: 'done', rescheduled: 1 });
    expect(await world.job('a')).toMatchObject({ lookAtMs: T0 + LEARNED });
  });

  it('does not shrink by what was cut: a run that was given up counts as longer', async () => {
    await ended(60, RUN, '');
    await thresholds.refresh();
    await begin('a');
    for (const ms of [LEARNED, LEARNED + MINUTE]) {
      await world.at(T0 + ms);
      await world.run();
    }
    expect(await world.job('a')).toMatchObject({ status: 'dead-lettered' });
    await thresholds.refresh();
    const learned = thresholds.of({ namespace: 'default', queue: 'q' }, null);
    expect(learned).toMatchObject({ samples: 60, longer: 1 });
    // One in 61 is more than the 1 % that may be longer: the next is given twice as long as this one was watched.
    expect(learned?.ms).toBeGreaterThanOrEqual(2 * LEARNED);
  });
});
