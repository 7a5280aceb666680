// Who is taken for stuck, and who is not, by number of the case.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PolicySource } from '#libs/application';
import { pgReadModels } from '#libs/postgres';
import type { Level, QueuePolicy, ThresholdSource } from '#libs/domain';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';

const T0 = 1_700_000_000_000;
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const LEASE = 30 * SECOND;

describe('stuck detection', () => {
  let database: TestDatabase;
  let world: World;

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  const policies = (changes: Partial<QueuePolicy> = {}, level: Level = 'act') =>
    fixedPolicies({ idempotent: true, leaseMs: LEASE, blackout: { minWorkers: 1_000, share: 0.3, holdMaxMs: MINUTE }, ...changes }, level);

  async function begin(source: PolicySource = policies()): Promise<void> {
    world = new World(database.url, source);
    await world.startClock(T0);
  }

  const by = (worker: string) => ({ worker: { id: worker }, leaseMs: LEASE });
  const start = (job: string, worker: string, more: object = {}) =>
    world.send({ type: 'queued', job }, { type: 'started', job, ...by(worker), ...more });
  const beat = (job: string, worker: string, more: object = {}) => world.send({ type: 'heartbeat', job, ...by(worker), ...more });
  const workerBeat = (worker: string, ids: readonly string[]) =>
    world.send({ type: 'jobwarden.worker.heartbeat.v1', job: worker, worker: { id: worker }, jobs: ids.map((id) => ({ queue: 'q', id, leaseMs: LEASE })) });

  /** Rows of the schedule's own runs, as nobody has asked for them. */
  async function runAt(ms: number) {
    await world.at(T0 + ms);
    return (await world.run()).rows;
  }

  it('A1: gives no verdict in 47 minutes on a job whose heartbeats are on time', async () => {
    await begin();
    await start('a', 'w1');
    const rows = [];
    for (let ms = 10 * SECOND; ms <= 47 * MINUTE; ms += 10 * SECOND) {
      await world.at(T0 + ms);
      await beat('a', 'w1');
      rows.push(...(await runAt(ms)));
    }
    await world.send({ type: 'succeeded', job: 'a', ...by('w1') });
    expect(rows).toEqual([]);
    expect(await world.job('a')).toMatchObject({ status: 'succeeded', attempt: 1, n: 0 });
    expect(await world.database.query('SELECT FROM jobwarden.verdicts')).toEqual([]);
  });

  it('A2: keeps a job whose worker beats from beside its blocked loop, and shows the lag', async () => {
    await begin();
    await start('a', 'w1');
    const rows = [];
    for (let ms = 10 * SECOND; ms <= MINUTE; ms += 10 * SECOND) {
      await world.at(T0 + ms);
      const runtime = { loopLagMs: ms };
      await world.send({ type: 'jobwarden.worker.heartbeat.v1', job: 'w1', worker: { id: 'w1' }, jobs: [{ queue: 'q', id: 'a', leaseMs: LEASE }], runtime });
      rows.push(...(await runAt(ms)));
    }
    expect(rows).toEqual([]);
    expect(await world.job('a')).toMatchObject({ status: 'processing', attempt: 1, n: 0 });
    const { items } = await pgReadModels(world.database).workers.list('default', { limit: 10, after: null });
    expect(items.map(({ id, runtime }) => [id, JSON.parse(runtime ?? '{}') as unknown])).toEqual([['w1', { loopLagMs: MINUTE }]]);
  });

  it.each([
    ['in the grace', 40 * SECOND, { status: 'processing', attempt: 1 }],
    ['after it', 60 * SECOND, { status: 'requeued', attempt: 2 }],
  ])('A2: gives the grace to one whose beats stop with its loop, which comes back %s', async (_, backMs, end) => {
    await begin();
    await start('a', 'w1');
    const decided: [number, string | undefined][] = [];
    for (let ms = 5 * SECOND; ms <= 65 * SECOND; ms += 5 * SECOND) {
      await world.at(T0 + ms);
      if (ms === backMs) expect(await beat('a', 'w1')).toMatchObject([{ outcome: 'recorded', state: end.attempt === 1 ? 'restart-requested' : 'superseded' }]);
      for (const row of await runAt(ms)) decided.push([ms, row.decisions[0]]);
    }
    const answered = end.attempt === 1 ? [40 * SECOND, 'restart-withdrawn'] : [45 * SECOND, 'requeued'];
    expect(decided).toEqual([[LEASE, 'restart-requested'], answered]);
    expect(await world.job('a')).toMatchObject(end);
  });

  it('A3: shows what two looks left without a verdict as unresolved, ever older, whichever reconciler comes after', async () => {
    await begin();
    await start('a', 'w1');
    await world.send({ type: 'jobwarden.job.paused.v9', job: 'a' });
    await runAt(LEASE);
    await runAt(LEASE + 500);
    const unresolved = async () => (await pgReadModels(world.database).reconciliations.unresolved('default')).oldestMs;
    await runAt(LEASE + 2 * SECOND);
    expect(await unresolved()).toBe(2 * SECOND);
    const again = new World(database.url, policies());
    try {
      await again.read();
      await world.at(T0 + LEASE + MINUTE);
      const { rows } = await again.run({ requested: true });
      expect(rows).toMatchObject([{ outcome: 'held', heldBy: 'quarantine', unresolved: true, heldMs: MINUTE }]);
    } finally {
      await again.close();
    }
    expect(await unresolved()).toBe(MINUTE);
  });

  it('A4: measures by the limit of the kind where there is one, and names it', async () => {
    const lease = (leaseMs: number, from: ThresholdSource) => {
      const { policy, levels } = policies({ leaseMs, heartbeats: 'expected' }).policyFor({ namespace: 'default', queue: 'q' }, null);
      return { policy, levels, sources: { lease: from } };
    };
    const [global, slow] = [lease(60 * SECOND, 'default'), lease(120 * SECOND, 'kind')];
    await begin({ version: '1', policyFor: (_, kind) => (kind === 'slow' ? slow : global) });
    for (const kind of ['quick', 'slow']) {
      await world.send({ type: 'queued', job: kind, kind }, { type: 'started', job: kind, worker: { id: `w-${kind}` } });
    }
    expect(await runAt(100 * SECOND)).toMatchObject([{ ref: { id: 'quick' }, verdict: 'lost', threshold: { source: 'default', ms: 60 * SECOND } }]);
    const at130 = (await runAt(130 * SECOND)).filter((r) => r.ref.id === 'slow');
    expect(at130).toMatchObject([{ verdict: 'lost', threshold: { source: 'kind', ms: 120 * SECOND } }]);
  });

  it('A5: answers a kill in minute 5 of a job of 6 hours within lease, grace and one look', async () => {
    await begin();
    await start('a', 'w1');
    for (let ms = 10 * SECOND; ms <= 5 * MINUTE; ms += 10 * SECOND) {
      await world.at(T0 + ms);
      await beat('a', 'w1');
    }
    const seen: Record<string, number> = {};
    for (let ms = 10 * SECOND; ms <= 60 * SECOND && seen['requeued'] === undefined; ms += 10 * SECOND) {
      for (const row of await runAt(5 * MINUTE + ms)) seen[row.decisions[0] ?? ''] ??= ms;
    }
    expect(seen['restart-requested']).toBeLessThanOrEqual(LEASE + 10 * SECOND);
    expect(seen['requeued']).toBeLessThanOrEqual(LEASE + 15 * SECOND + 10 * SECOND);
  });

  it('A7: tells a job that beats for too long from one that does not beat, each with its evidence', async () => {
    await begin(policies({ hardTimeoutMs: MINUTE }));
    await start('hung', 'w1');
    await start('lost', 'w2');
    const rows = [];
    for (let ms = 10 * SECOND; ms <= MINUTE; ms += 10 * SECOND) {
      await world.at(T0 + ms);
      await beat('hung', 'w1');
      rows.push(...(await runAt(ms)).filter((r) => r.verdict !== null));
    }
    expect(rows.map((r) => [r.ref.id, r.verdict, r.threshold?.ms])).toEqual([
      ['lost', 'lost', LEASE],
      ['hung', 'hung', MINUTE],
    ]);
    const decided = await world.database.query<{ evidence: { lastSignMs: number; dueMs: number } }>(
      `SELECT data::json -> 'evidence' AS evidence FROM jobwarden.events WHERE n = 1 ORDER BY lane_ms`,
    );
    expect(decided.map((d) => d.evidence)).toMatchObject([
      { lastSignMs: T0, dueMs: T0 + LEASE },
      { lastSignMs: T0 + MINUTE, dueMs: T0 + MINUTE },
    ]);
  });

  it('A9: recovers the jobs of one that dies after a day without any restart, by its own schedule', async () => {
    await begin(policies({ leaseMs: HOUR }));
    await start('a', 'w1', { leaseMs: HOUR });
    await start('b', 'w2', { leaseMs: HOUR });
    for (let ms = HOUR / 2; ms <= 24 * HOUR; ms += HOUR / 2) {
      await world.at(T0 + ms);
      await beat('a', 'w1', { leaseMs: HOUR });
      await beat('b', 'w2', { leaseMs: HOUR });
      expect(await runAt(ms)).toEqual([]);
    }
    await world.at(T0 + 24.5 * HOUR);
    await beat('b', 'w2', { leaseMs: HOUR });
    expect(await runAt(25 * HOUR)).toMatchObject([{ ref: { id: 'a' }, outcome: 'decided', decisions: ['restart-requested'] }]);
    expect(await runAt(25 * HOUR + 15 * SECOND)).toMatchObject([{ ref: { id: 'a' }, decisions: ['requeued'] }]);
    expect(await world.job('b')).toMatchObject({ status: 'processing', attempt: 1 });
  });

  it('A10: restarts no job under a valid lease while 20 workers come and 20 go', async () => {
    await begin();
    const held = new Map(Array.from({ length: 40 }, (_, w) => [`w${String(w)}`, Array.from({ length: 5 }, (__, j) => `j${String(w)}-${String(j)}`)]));
    for (const [worker, ids] of held) {
      await world.send(...ids.flatMap((id) => [{ type: 'queued', job: id }, { type: 'started', job: id, ...by(worker) }]));
      await workerBeat(worker, ids);
    }
    const leaving = new Set([...held.keys()].slice(0, 20));
    const restarted: { id: string; ms: number }[] = [];
    for (let ms = 10 * SECOND; ms <= MINUTE; ms += 10 * SECOND) {
      await world.at(T0 + ms);
      for (const [worker, ids] of held) if (!leaving.has(worker) || ms <= 20 * SECOND) await workerBeat(worker, ids);
      for (let n = 0; n < 20; n += 1) await workerBeat(`new${String(n)}`, []);
      restarted.push(...(await runAt(ms)).map((r) => ({ id: r.ref.id, ms })));
    }
    // Those who left at 20 s are missed from 50 s on, and nobody else.
    const left = [...leaving].flatMap((worker) => held.get(worker) ?? []);
    expect([...new Set(restarted.map((r) => r.id))].sort()).toEqual([...left].sort());
    expect(Math.min(...restarted.map((r) => r.ms))).toBe(20 * SECOND + LEASE);
    const [still] = await world.database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM jobwarden.jobs WHERE status = 'processing' AND attempt = 1 AND n = 0`,
    );
    expect(still?.n).toBe(100);
  });
});
