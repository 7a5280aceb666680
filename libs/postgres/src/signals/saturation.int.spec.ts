import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvaluateSaturation, type SignalRow } from '#libs/application';
import { DEFAULT_POLICY, fixedPolicies, useTestDatabase, World, type TestEvent } from '#libs/testing';
import { PgQueueStateStore } from '../log/pg-queue-state-store.js';
import { QueueIds } from '../log/queue-ids.js';
import { PgQueueReads } from '../read/queue-reads.js';
import { PgSaturationStore } from './pg-saturation-store.js';
import { PgSignalStore } from './pg-signal-store.js';

const T0 = 1_700_000_100_000;
const SATURATION = { ...DEFAULT_POLICY.saturation, unprocessed: 50, minProcessed: 4 };
/** Between two looks. */
const STEP_MS = 10_000;
const worker = (id: string) => ({ worker: { id } });

describe('the evaluator', () => {
  const database = useTestDatabase();
  const policies = fixedPolicies({ saturation: SATURATION, leaseMs: 5_000, maxRetries: 0 });
  let world: World;
  let signals: PgSignalStore;
  const changes: string[] = [];
  beforeAll(async () => {
    world = new World(database.url, policies);
    await world.startClock(T0);
    signals = new PgSignalStore(world.database);
  });
  afterAll(() => world.close());

  const replica = (): EvaluateSaturation =>
    new EvaluateSaturation({
      store: new PgSaturationStore(world.database),
      policies,
      longestWindowMs: () => SATURATION.windowMs,
      changed: ({ queue }, what) => void changes.push(`${queue} ${what}`),
    });
  let nowMs = T0;
  const after = async (ms: number): Promise<void> => await world.at((nowMs += ms));
  let count = 0;
  /** So many jobs of a queue that ended so. */
  async function ended(queue: string, type: 'succeeded' | 'failed', jobs: number): Promise<void> {
    const ids = Array.from({ length: jobs }, () => `j${String((count += 1))}`);
    const facts = (of: string, more: object): TestEvent[] => ids.map((job) => ({ type: of, job, queue, ...more }));
    const how = type === 'failed' ? { error: { class: 'E', message: 'no' }, retryable: false } : {};
    await world.send(...facts('queued', {}), ...facts('started', worker('w')), ...facts(type, { ...worker('w'), ...how }));
  }
  const waiting = async (queue: string, jobs: number): Promise<void> => {
    await world.send(...Array.from({ length: jobs }, (): TestEvent => ({ type: 'queued', job: `j${String((count += 1))}`, queue })));
  };
  const told = async (queue: string): Promise<readonly SignalRow[]> =>
    (await signals.list({ namespaces: 'all', queue }, { limit: 10, after: null })).items;
  /** Looks for so long; before each one `between`. */
  async function looks(ms: number, between: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await after(STEP_MS);
      await between();
      await replica().look();
    }
  }

  it('makes one signal of a queue that fails for a minute while many wait, whichever replica looks, and ends it once it has recovered', async () => {
    await waiting('mail', 51);
    await waiting('short', 49);
    const fail = async (): Promise<void> => {
      await ended('mail', 'failed', 3);
      await ended('mail', 'succeeded', 5);
      await ended('short', 'failed', 4);
    };
    await looks(60_000, fail);
    expect(await told('mail')).toEqual([]);
    await after(STEP_MS);
    await fail();
    await Promise.all([replica().look(), replica().look(), replica().look()]);
    expect(await told('mail')).toMatchObject([{ source: 'evaluator', startsMs: nowMs, times: 1, settled: null, figures: { ratio: 3 / 8, unprocessed: 51 } }]);
    expect(await told('short')).toEqual([]);
    const seenMs = nowMs;
    await looks(120_000, fail);
    // Told again each minute: nobody takes it to be over.
    expect(await told('mail')).toMatchObject([{ times: 3, resolvedMs: null }]);
    // What has failed leaves the window after two minutes; then a minute of less than a tenth.
    await looks(240_000, () => ended('mail', 'succeeded', 8));
    expect(await told('mail')).toMatchObject([{ startsMs: seenMs, settled: 'over', resolvedMs: expect.any(Number) as number }]);
    expect(changes).toEqual(['mail fires', 'mail is over']);
  });

  it('counts workers that die without a word: their leases end, and nothing else is heard of them', async () => {
    await waiting('dying', 60);
    const die = async (): Promise<void> => {
      await world.send(...Array.from({ length: 2 }, (_, i): TestEvent => ({ type: 'started', job: `d${String(count)}-${String(i)}`, queue: 'dying', ...worker(`w${String((count += 1))}`), leaseMs: 1_000 })));
      await world.run();
    };
    await looks(90_000, die);
    expect(await told('dying')).toMatchObject([{ figures: { ratio: 1 } }]);
  });

  it('takes nothing processed, or less than a sample, for no data', async () => {
    await waiting('idle', 80);
    await waiting('rare', 80);
    await ended('rare', 'failed', 1);
    await looks(150_000);
    expect(await told('idle')).toEqual([]);
    expect(await told('rare')).toEqual([]);
  });

  it('begins its minute anew after a gap in which nobody looked', async () => {
    await waiting('gap', 60);
    await looks(30_000, () => ended('gap', 'failed', 4));
    await after(60_000);
    await ended('gap', 'failed', 4);
    await replica().look();
    expect(await told('gap')).toEqual([]);
    await looks(70_000, () => ended('gap', 'failed', 4));
    expect(await told('gap')).toHaveLength(1);
  });

  it('goes by what the native queue says while that is fresh, and by no guess where nobody knows how many wait', async () => {
    const depths = async () => {
      const id = '00000000-0000-4000-8000-000000000001';
      await world.database.query(`INSERT INTO jobwarden.publishers (shard, holder) VALUES (0, $1) ON CONFLICT (shard) DO UPDATE SET holder = excluded.holder`, [id]);
      const rows = (await new PgQueueReads(world.database).exported(id)) ?? [];
      return new Map(rows.map(({ queue, waiting: wait }) => [queue, wait]));
    };
    const states = new PgQueueStateStore(world.database, new QueueIds(world.database));
    const native = { namespace: 'default', oldestAgeMs: null, paused: null };
    const runs = (job: string): TestEvent => ({ type: 'started', job, queue: 'unfed', ...worker('w') });
    await world.send(runs('u1'));
    expect((await depths()).get('unfed')).toBeNull();
    await states.put([{ ...native, queue: 'unfed', waiting: 7 }, { ...native, queue: 'idle', waiting: 9_000 }]);
    expect([(await depths()).get('unfed'), (await depths()).get('idle')]).toEqual([7, 9_000]);
    await looks(70_000, async () => {
      await ended('idle', 'failed', 4);
      await states.put([{ ...native, queue: 'idle', waiting: 9_000 }]);
    });
    expect(await told('idle')).toMatchObject([{ figures: { unprocessed: 9_000 } }]);
    await after(120_000);
    expect([(await depths()).get('unfed'), (await depths()).get('idle')]).toEqual([null, 80]);
    // Drained: it is known that none waits, since it was told what went in.
    await ended('drained', 'succeeded', 1);
    expect((await depths()).get('drained')).toBeNull();
    await looks(STEP_MS);
    expect((await depths()).get('drained')).toBe(0);
  });
});
