import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pgReadModels } from '#libs/postgres';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';
import type { Level, QueuePolicy } from '#libs/domain';

const T0 = 1_700_000_000_000;
const w1 = { worker: { id: 'w1' } };
const w2 = { worker: { id: 'w2' } };

describe('the reconciler on a real database', () => {
  let database: TestDatabase;
  let world: World;

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  async function begin(changes: Partial<QueuePolicy> = {}, level: Level = 'act'): Promise<void> {
    world = new World(database.url, fixedPolicies({ idempotent: true, leaseMs: 30_000, ...changes }, level));
    await world.startClock(T0);
  }

  async function runAt(ms: number): Promise<readonly string[]> {
    await world.at(T0 + ms);
    const rows: string[] = [];
    for (let i = 0; i < 10; i += 1) {
      const run = await world.run();
      rows.push(...run.rows.map((r) => `${r.outcome} ${r.decisions.join('+') || (r.verdict ?? '')} ${r.reason}`));
      if (run.looked === 0) break;
    }
    return rows;
  }

  it('finds a worker that went silent, gives it its grace, and grants the next attempt', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...w1, leaseMs: 30_000 });
    expect(await runAt(29_999)).toEqual([]);
    expect(await runAt(30_000)).toEqual(['decided restart-requested lost']);
    expect(await world.job('a')).toMatchObject({ status: 'restart-requested', attempt: 1 });
    expect(await runAt(44_999)).toEqual([]);
    expect(await runAt(45_000)).toEqual(['decided requeued lost']);
    expect(await world.job('a')).toMatchObject({ status: 'requeued', attempt: 2, waitsFor: 'start' });
  });

  it('lets a heartbeat renew the lease without touching the row', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...w1, leaseMs: 30_000 });
    await world.at(T0 + 20_000);
    expect(await world.send({ type: 'heartbeat', job: 'a', ...w1 })).toMatchObject([
      { outcome: 'recorded', state: 'go-on' },
    ]);
    await world.at(T0 + 40_000);
    await world.send({ type: 'heartbeat', job: 'a', ...w1 });
    expect(await runAt(69_999)).toEqual([]);
    expect(await runAt(70_000)).toEqual(['decided restart-requested lost']);
  });

  it('withdraws the request when the worker beats in its grace, and tells the worker meanwhile', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...w1, leaseMs: 30_000 });
    await runAt(30_000);
    await world.at(T0 + 35_000);
    expect(await world.send({ type: 'heartbeat', job: 'a', ...w1 })).toMatchObject([{ state: 'restart-requested' }]);
    expect(await runAt(35_001)).toEqual(['decided restart-withdrawn heartbeat']);
    expect(await world.job('a')).toMatchObject({ status: 'processing', attempt: 1 });
    expect(await world.send({ type: 'heartbeat', job: 'a', ...w1 })).toMatchObject([{ state: 'go-on' }]);
  });

  it('takes the first heartbeat of an attempt for its start', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' });
    await world.send({ type: 'heartbeat', job: 'a', ...w1 });
    expect(await world.job('a')).toMatchObject({ status: 'processing', waitsFor: 'lease' });
    expect(await runAt(30_000)).toEqual(['decided restart-requested lost']);
  });

  it('renews by one beat of the worker for all it holds, and notices what it let go', async () => {
    await begin();
    const ids = ['a', 'b', 'c'];
    for (const id of ids) await world.send({ type: 'queued', job: id });
    const beat = (held: readonly string[]): Promise<unknown> =>
      world.send({
        type: 'jobwarden.worker.heartbeat.v1',
        job: 'w1',
        ...w1,
        jobs: held.map((id) => ({ queue: 'q', id })),
      });
    await beat(ids);
    for (const id of ids) expect(await world.job(id)).toMatchObject({ status: 'processing' });
    const written = async (): Promise<number> => {
      const [row] = await world.database.query<{ xmin: number }>(
        `SELECT count(*)::int AS xmin FROM jobwarden.leases WHERE beat_ms > ${String(T0)}`,
      );
      return row?.xmin ?? -1;
    };
    for (let s = 10; s <= 60; s += 10) {
      await world.at(T0 + s * 1_000);
      await beat(ids);
    }
    expect(await written()).toBe(0);
    expect(await runAt(60_000)).toEqual([]);
    await world.at(T0 + 70_000);
    await beat(['a', 'b']);
    expect(await runAt(90_000)).toEqual(['decided restart-requested lost']);
    expect(await world.job('c')).toMatchObject({ status: 'restart-requested' });
    expect(await runAt(100_000)).toEqual(['decided restart-requested lost', 'decided restart-requested lost']);
  });

  it('tells a hung job from a lost one: heartbeats do not withdraw it', async () => {
    await begin({ hardTimeoutMs: 60_000 });
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...w1, leaseMs: 30_000 });
    for (let s = 10; s <= 70; s += 10) {
      await world.at(T0 + s * 1_000);
      await world.send({ type: 'heartbeat', job: 'a', ...w1 });
    }
    expect(await runAt(70_000)).toEqual(['decided restart-requested hung']);
    await world.send({ type: 'heartbeat', job: 'a', ...w1 });
    expect(await runAt(85_000)).toEqual(['decided requeued hung']);
  });

  it('retries a failure with backoff and dead-letters it when the retries are used up', async () => {
    await begin({ maxRetries: 2, backoff: { initialMs: 1_000, factor: 2, maxMs: 60_000, jitter: 0 } });
    const error = { class: 'Boom', message: 'no' };
    await world.send({ type: 'queued', job: 'a' });
    let ms = 0;
    for (const [attempt, delay] of [[1, 1_000], [2, 2_000]] as const) {
      await world.send({ type: 'started', job: 'a', attempt, ...w1 }, { type: 'failed', job: 'a', attempt, ...w1, error });
      expect(await runAt(ms)).toEqual(['decided retry-scheduled failed']);
      expect(await runAt(ms + delay - 1)).toEqual([]);
      ms += delay;
      expect(await runAt(ms)).toEqual(['decided requeued backoff']);
    }
    await world.send({ type: 'started', job: 'a', attempt: 3, ...w1 }, { type: 'failed', job: 'a', attempt: 3, ...w1, error });
    expect(await runAt(ms)).toEqual(['decided dead-lettered failed']);
    expect(await world.job('a')).toMatchObject({ status: 'dead-lettered', attempt: 3, lookAtMs: null });
  });

  it('only writes down what it would have done at level observe, once, and grades it by what comes', async () => {
    await begin({}, 'observe');
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...w1, leaseMs: 30_000 });
    expect(await runAt(30_000)).toEqual(['would-have restart-requested lost']);
    expect(await runAt(90_000)).toEqual([]);
    expect(await world.job('a')).toMatchObject({ status: 'processing', n: 0, lookAtMs: null });
    await world.send({ type: 'succeeded', job: 'a', ...w1 });
    const verdicts = await world.database.query(`SELECT verdict, grade, times FROM jobwarden.verdicts`);
    expect(verdicts).toEqual([{ verdict: 'lost', grade: 'wrong', times: 1 }]);
  });

  it('grades a would-have wrong when the worker beats again, and looks at the job again', async () => {
    await begin({}, 'observe');
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...w1, leaseMs: 30_000 });
    await world.send({ type: 'heartbeat', job: 'a', ...w1 });
    await runAt(30_000);
    await world.at(T0 + 40_000);
    await world.send({ type: 'heartbeat', job: 'a', ...w1 });
    expect(await world.database.query(`SELECT grade FROM jobwarden.verdicts`)).toEqual([{ grade: 'wrong' }]);
    expect((await world.job('a')).lookAtMs).toBe(T0 + 70_000);
  });

  it('goes on at once where a queue has more due than its share, and where it is alone it gets all of a look', async () => {
    await begin();
    const jobs = Array.from({ length: 650 }, (_, i) => `j${i}`);
    await world.send(...jobs.flatMap((job) => [{ type: 'queued', job } as const, { type: 'started', job, ...w1, leaseMs: 30_000 } as const]));
    await world.at(T0 + 30_000);
    expect(await world.run()).toMatchObject({ looked: 200, decided: 200, more: true });
    expect(await world.run()).toMatchObject({ looked: 450, decided: 450, more: false });
    expect(await world.run()).toMatchObject({ looked: 0, more: false });
  });

  it('reports a starved job once, then ever more rarely, and never as a would-have', async () => {
    await begin({ startByMs: 60_000 });
    await world.send({ type: 'queued', job: 'a' });
    const seen: number[] = [];
    for (let minute = 1; minute <= 40; minute += 1) {
      if ((await runAt(minute * 60_000)).length > 0) seen.push(minute);
    }
    expect(seen).toEqual([1, 2, 4, 8, 16, 32]);
    expect(await world.database.query(`SELECT kind, verdict, times FROM jobwarden.verdicts`)).toEqual([
      { kind: 'report', verdict: 'starved', times: 6 },
    ]);
  });

  it('gives no verdict that a request in flight could clear', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...w1, leaseMs: 30_000 });
    await world.at(T0 + 20_000);
    const leave = world.clock.enter();
    expect(await runAt(31_000)).toEqual(expect.arrayContaining(['held restart-requested lost']));
    expect(await world.job('a')).toMatchObject({ status: 'processing', heldBy: 'lane:http' });
    leave();
    expect(await runAt(32_000)).toEqual(['decided restart-requested lost']);
    expect(await world.job('a')).toMatchObject({ heldBy: null });
  });

  it('holds verdicts on a job that something in quarantine names', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...w1, leaseMs: 30_000 });
    await world.send({ type: 'jobwarden.job.paused.v9', job: 'a' });
    expect(await runAt(60_000)).toEqual(expect.arrayContaining(['held restart-requested lost']));
    expect(await world.job('a')).toMatchObject({ status: 'processing', heldBy: 'quarantine' });
    await world.database.query(`UPDATE jobwarden.quarantine SET outcome = 'dismissed'`);
    expect(await runAt(61_000)).toEqual(['decided restart-requested lost']);
  });

  it('holds verdicts on every job that a broken beat of its worker names', async () => {
    await begin();
    for (const id of ['a', 'b']) await world.send({ type: 'queued', job: id }, { type: 'started', job: id, ...w1, leaseMs: 30_000 });
    const jobs = [{ queue: 'q', id: 'a' }, { queue: 'q', id: 'b' }];
    const [answer] = await world.send({ type: 'jobwarden.worker.heartbeat.v1', job: 'w1', worker: { id: 7 }, jobs });
    expect(answer).toMatchObject({ outcome: 'quarantined', code: 'schema' });
    await runAt(60_000);
    for (const id of ['a', 'b']) expect(await world.job(id)).toMatchObject({ status: 'processing', heldBy: 'quarantine' });
  });

  it('shows as unresolved what is due and not answered for, whoever has been restarted meanwhile', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'held' }, { type: 'started', job: 'held', ...w1, leaseMs: 30_000 });
    await world.send({ type: 'jobwarden.job.paused.v9', job: 'held' });
    await runAt(30_000);
    await world.send({ type: 'queued', job: 'unseen' }, { type: 'started', job: 'unseen', ...w1, leaseMs: 30_000 });
    const reads = pgReadModels(world.database);
    const oldest: (number | null)[] = [];
    for (const ms of [31_000, 33_000, 90_000]) {
      await world.at(T0 + ms);
      const { oldestMs } = await reads.reconciliations.unresolved('default');
      oldest.push(oldestMs);
    }
    expect(oldest).toEqual([null, 3_000, 60_000]);
    expect(await reads.reconciliations.unresolved('default')).toMatchObject({ count: 2 });
    const run = await world.run({ requested: true });
    expect(run.rows).toEqual(
      expect.arrayContaining([expect.objectContaining({ outcome: 'held', unresolved: true, heldBy: 'quarantine' })]),
    );
    const replica = '00000000-0000-4000-8000-000000000001';
    await world.database.query('UPDATE jobwarden.publishers SET holder = $1 WHERE shard = 0', [replica]);
    expect(await reads.queues.exported(replica)).toMatchObject([{ oldestUnresolvedMs: 60_000 }]);
  });

  it('keeps no run for a verdict that is only held for a moment, and one when it stays held', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...w1, leaseMs: 30_000 });
    const leave = world.clock.enter();
    const kept: boolean[] = [];
    for (const ms of [30_100, 30_700, 31_300, 31_900, 32_500, 40_000]) {
      await world.at(T0 + ms);
      kept.push((await world.run()).id !== null);
    }
    leave();
    expect(kept).toEqual([false, false, true, true, false, false]);
    await world.at(T0 + 41_000);
    expect((await world.run()).id).not.toBeNull();
  });

  it('decides nothing while the stop switch is off', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...w1, leaseMs: 30_000 });
    await world.database.query('UPDATE jobwarden.installation SET actions_enabled = false');
    expect(await runAt(60_000)).toEqual(expect.arrayContaining(['held restart-requested lost']));
    expect(await world.job('a')).toMatchObject({ status: 'processing', n: 0, heldBy: 'actions_off' });
  });

  it('holds a job incomplete when its queued event never came, and grants it when it comes', async () => {
    await begin();
    await world.send({ type: 'started', job: 'a', ...w1, leaseMs: 30_000 });
    await runAt(30_000);
    expect(await runAt(45_000)).toEqual(['decided held-incomplete lost']);
    expect(await world.job('a')).toMatchObject({ status: 'incomplete', lookAtMs: null });
    await world.send({ type: 'queued', job: 'a' });
    expect(await runAt(46_000)).toEqual(['decided requeued lost']);
  });

  it('sends a stop to the worker that is out when the job has ended without it', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...w1, leaseMs: 30_000 });
    await runAt(45_000);
    await world.send({ type: 'started', job: 'a', attempt: 2, ...w2 }, { type: 'succeeded', job: 'a', attempt: 2, ...w2 });
    expect(await runAt(46_000)).toEqual(['decided stop-requested finished']);
    expect(await world.send({ type: 'heartbeat', job: 'a', ...w1 })).toMatchObject([{ state: 'finished' }]);
  });

  it('never decides twice when two reconcilers look at once', async () => {
    await begin();
    const ids = Array.from({ length: 60 }, (_, i) => `j${String(i)}`);
    for (const id of ids) await world.send({ type: 'queued', job: id }, { type: 'started', job: id, ...w1, leaseMs: 30_000 });
    await world.at(T0 + 30_000);
    await Promise.all([world.run(), world.run(), world.run()]);
    const rows = await world.database.query(`SELECT count(*) AS decisions, count(DISTINCT (job_key, n)) AS numbers
      FROM jobwarden.events WHERE n IS NOT NULL`);
    expect(rows).toEqual([{ decisions: 60, numbers: 60 }]);
  });
});
