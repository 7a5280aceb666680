import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PolicySource } from '#libs/application';
import type { Level, QueuePolicy } from '#libs/domain';
import { PgLevelStore, QueueIds } from '#libs/postgres';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';

const T0 = 1_700_000_000_000;
const LEASE = 30_000;
const w1 = { worker: { id: 'w1' }, leaseMs: LEASE };
const ann = { by: 'ann', reason: 'seen on the host' };

/** A policy whose level a test may change, as an operator would. */
class Policies implements PolicySource {
  readonly version = '1';
  constructor(
    public level: Level,
    private readonly changes: Partial<QueuePolicy> = {},
  ) {}

  policyFor() {
    const changes = { idempotent: true, leaseMs: LEASE, ...this.changes };
    return fixedPolicies(changes, this.level).policyFor({ namespace: 'default', queue: 'q' }, null);
  }
}

describe('levels, from observe to act', () => {
  let database: TestDatabase;
  let world: World;
  let policies: Policies;

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  async function begin(level: Level, changes: Partial<QueuePolicy> = {}): Promise<void> {
    policies = new Policies(level, changes);
    world = new World(database.url, policies);
    await world.startClock(T0);
  }

  const start = (job: string, more: object = {}) =>
    world.send({ type: 'queued', job }, { type: 'started', job, ...w1, ...more });

  async function runAt(ms: number): Promise<readonly string[]> {
    await world.at(T0 + ms);
    const rows: string[] = [];
    for (let i = 0; i < 10; i += 1) {
      const run = await world.run();
      rows.push(...run.rows.map((r) => `${r.outcome} ${r.refusal ?? r.decisions.join('+')} ${r.reason}`));
      if (run.looked === 0) break;
    }
    return rows;
  }

  const verdicts = () =>
    world.database.query<{ kind: string; state: string; grade: string }>(
      `SELECT kind, state, grade FROM jobwarden.verdicts ORDER BY verdict_id`,
    );
  const everything = { namespace: 'default', filter: {} };

  it('at approve propose what is due, and decide it by an approval, with the requeue that follows', async () => {
    await begin('approve');
    await start('a');
    expect(await runAt(LEASE)).toEqual(['would-have restart-requested lost']);
    expect(await verdicts()).toEqual([{ kind: 'would-have', state: 'proposed', grade: 'open' }]);
    expect(await world.job('a')).toMatchObject({ status: 'processing', n: 0, lookAtMs: null });
    expect(await world.approvals.approve({ ...everything, count: 1, ...ann })).toMatchObject({ kind: 'approved' });
    expect(await runAt(LEASE + 1_000)).toEqual(['decided restart-requested lost']);
    expect(await runAt(LEASE + 15_999)).toEqual([]);
    expect(await runAt(LEASE + 16_000)).toEqual(['decided requeued lost']);
    expect(await world.job('a')).toMatchObject({ status: 'requeued', attempt: 2 });
    const [event] = await world.database.query<{ evidence: string }>(
      `SELECT event::json ->> 'evidence' AS evidence FROM (SELECT data AS event FROM jobwarden.events WHERE n = 1) e`,
    );
    expect(JSON.parse(event?.evidence ?? '{}')).toMatchObject({ approval: ann });
  });

  it('approve all that a filter finds or nothing, and say how many there are', async () => {
    await begin('approve');
    for (const job of ['a', 'b', 'c']) await start(job);
    await runAt(LEASE);
    expect(await world.approvals.approve({ ...everything, count: 2, ...ann })).toMatchObject({
      kind: 'refused',
      code: 'count_differs',
      found: 3,
    });
    expect(await runAt(LEASE + 1)).toEqual([]);
    const none = { namespace: 'default', filter: { action: 'retry' as const } };
    expect(await world.approvals.approve({ ...none, count: 3, ...ann })).toMatchObject({ code: 'count_differs', found: 0 });
    expect(await world.approvals.approve({ namespace: 'other', filter: {}, count: 3, ...ann })).toMatchObject({ found: 0 });
    expect(await world.approvals.approve({ ...everything, count: 3, by: 'ann', reason: ' ' })).toMatchObject({ code: 'reason_required' });
    expect(await world.approvals.approve({ ...everything, count: 3, ...ann })).toMatchObject({ kind: 'approved' });
    expect(await runAt(LEASE + 2)).toHaveLength(3);
  });

  it('let one of two who approve at once win, and decide once', async () => {
    await begin('approve');
    await start('a');
    await runAt(LEASE);
    const both = await Promise.all([1, 2].map(() => world.approvals.approve({ ...everything, count: 1, ...ann })));
    expect(both.map((o) => o.kind).sort()).toEqual(['approved', 'refused']);
    expect(await runAt(LEASE + 1)).toEqual(['decided restart-requested lost']);
  });

  it('refuse an approval for a job that has moved on, and say at the look when it is not true any more', async () => {
    await begin('approve');
    await start('a');
    await start('b');
    await runAt(LEASE);
    const [first] = await world.database.query<{ id: string }>(
      `SELECT verdict_id::text AS id FROM jobwarden.verdicts v JOIN jobwarden.jobs j USING (job_key) WHERE job_id = 'a'`,
    );
    await world.send({ type: 'heartbeat', job: 'a', ...w1 });
    expect(await world.approvals.approve({ namespace: 'default', ids: [first!.id, '999'], count: 2, ...ann })).toMatchObject({
      code: 'verdict_moved_on',
      verdicts: [
        { verdictId: first!.id, state: 'lapsed' },
        { verdictId: '999', state: 'unknown' },
      ],
    });
    expect(await world.approvals.approve({ ...everything, count: 1, ...ann })).toMatchObject({ kind: 'approved' });
    // Its row renewed as a second replica would, past the writer that grades: only the lock at the look sees it.
    await world.database.query(`UPDATE jobwarden.leases SET beat_ms = $1`, [T0 + LEASE]);
    await world.database.query(
      `INSERT INTO jobwarden.leases (job_key, attempt, beat_ms, lane)
       SELECT job_key, 1, $1, 0 FROM jobwarden.jobs WHERE job_id = 'b' ON CONFLICT DO NOTHING`,
      [T0 + LEASE],
    );
    expect(await runAt(LEASE + 1)).toEqual(['refused not_due lost']);
    expect(await world.job('b')).toMatchObject({ status: 'processing', n: 0, lookAtMs: T0 + 2 * LEASE });
    expect((await verdicts()).map((v) => v.state)).toEqual(['lapsed', 'refused']);
  });

  it('let an approval expire while something holds the job, and be given again', async () => {
    await begin('approve', { approvalForMs: 60_000 });
    await start('a');
    await runAt(LEASE);
    await world.approvals.approve({ ...everything, count: 1, ...ann });
    await world.database.query('UPDATE jobwarden.installation SET actions_enabled = false');
    expect(await runAt(LEASE + 59_999)).toEqual(expect.arrayContaining(['held restart-requested lost']));
    expect((await verdicts())[0]).toMatchObject({ state: 'approved' });
    await runAt(LEASE + 60_500);
    expect((await verdicts())[0]).toMatchObject({ state: 'expired' });
    await world.database.query('UPDATE jobwarden.installation SET actions_enabled = true');
    expect(await runAt(LEASE + 62_000)).toEqual(['would-have restart-requested lost']);
    await world.approvals.approve({ ...everything, count: 1, ...ann });
    expect(await runAt(LEASE + 63_000)).toEqual(['decided restart-requested lost']);
  });

  it('at act reach only what is said after the switch: what was said before needs an approval', async () => {
    await begin('observe');
    await start('before');
    await runAt(LEASE);
    expect(await world.approvals.approve({ ...everything, count: 1, ...ann })).toMatchObject({ code: 'level_observe' });
    policies.level = 'act';
    await start('after', { worker: { id: 'w2' } });
    expect(await runAt(3 * LEASE)).toEqual(['decided restart-requested lost']);
    expect(await world.job('before')).toMatchObject({ status: 'processing', n: 0 });
    expect(await world.approvals.approve({ ...everything, count: 1, ...ann })).toMatchObject({ kind: 'approved' });
    expect(await runAt(3 * LEASE + 1)).toEqual(['decided restart-requested lost']);
    expect(await world.job('before')).toMatchObject({ status: 'restart-requested' });
  });

  it('do nothing by an approval once the level is back at observe', async () => {
    await begin('approve');
    await start('a');
    await runAt(LEASE);
    await world.approvals.approve({ ...everything, count: 1, ...ann });
    policies.level = 'observe';
    expect(await runAt(LEASE + 1)).toEqual(['refused level_observe lost']);
    expect(await world.job('a')).toMatchObject({ n: 0, lookAtMs: null });
    expect((await verdicts())[0]).toMatchObject({ state: 'shown' });
  });

  it('approve a retry with the requeue that follows its backoff', async () => {
    await begin('approve', { backoff: { initialMs: 1_000, factor: 2, maxMs: 1_000, jitter: 0 } });
    await start('a');
    await world.send({ type: 'failed', job: 'a', ...w1, error: { class: 'Boom', message: 'no' } });
    expect(await runAt(0)).toEqual(['would-have retry-scheduled failed']);
    await world.approvals.approve({ ...everything, count: 1, ...ann });
    expect(await runAt(1)).toEqual(['decided retry-scheduled failed']);
    expect(await runAt(1_000)).toEqual(['decided requeued backoff']);
  });

  it('go by what a person has set by then, also at a replica that was halted with what it knew before', async () => {
    await begin('act');
    await start('a');
    const levels = new PgLevelStore(world.database, new QueueIds(world.database));
    const set = { namespace: 'default', queue: 'q', action: 'requeue', level: 'observe', fileLevel: 'act', ...ann } as const;
    await levels.set(set);
    expect(await runAt(LEASE)).toEqual(['would-have restart-requested lost']);
    expect(await world.job('a')).toMatchObject({ status: 'processing' });
    // Set over a value that the file does not have any more, it is in force nowhere.
    await levels.set({ ...set, fileLevel: 'approve' });
    await start('b');
    expect(await runAt(2 * LEASE)).toContain('decided restart-requested lost');
  });
});
