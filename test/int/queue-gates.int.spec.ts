import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QueueGates } from '#libs/application';
import type { QueuePolicy } from '#libs/domain';
import { PgQueueGateStore, QueueIds } from '#libs/postgres';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';

const T0 = 1_700_000_000_000;
const w1 = { worker: { id: 'w1' } };
const w2 = { worker: { id: 'w2' } };

describe('queues that operators pause and throttle', () => {
  let database: TestDatabase;
  let world: World;

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  async function begin(changes: Partial<QueuePolicy> = {}): Promise<void> {
    world = new World(database.url, fixedPolicies({ claims: 'required', leaseMs: 30_000, ...changes }, 'act'));
    await world.startClock(T0);
  }

  async function runAt(ms: number): Promise<void> {
    await world.at(T0 + ms);
    for (let run = await world.run(); run.looked > 0; run = await world.run());
  }

  async function granted(id: string, claimId: string, worker = w1.worker) {
    const answer = await world.claim(id, { claimId, worker });
    if (answer.kind !== 'granted') throw new Error(JSON.stringify(answer));
    return answer;
  }

  it('while the queue is paused grants nothing, puts nothing back and reports nobody starved, and then goes on', async () => {
    await begin({ startByMs: 60_000 });
    const queue = { namespace: 'default', queue: 'q' };
    await world.send({ type: 'queued', job: 'waits' }, { type: 'queued', job: 'runs' });
    const { token } = await granted('runs', '1');
    await world.send({ type: 'failed', job: 'runs', ...w1, token, error: { class: 'E', message: 'm' } });
    await runAt(0);
    await world.gates.set({ ...queue, gate: 'paused', perSecond: null, reason: 'database is sick', by: 'anna' });
    expect(await world.claim('waits', { claimId: '2', ...w2 })).toMatchObject({ refusal: 'paused', retryAfterMs: 5_000 });
    await runAt(59_000);
    await runAt(60_000);
    expect(await world.job('runs')).toMatchObject({ status: 'retrying', heldBy: 'paused' });
    expect(await world.database.query('SELECT 1 FROM jobwarden.verdicts')).toEqual([]);
    await runAt(600_000);
    await world.gates.set({ ...queue, gate: 'open', perSecond: null, reason: 'well again', by: 'anna' });
    await runAt(600_001);
    expect(await world.job('runs')).toMatchObject({ status: 'requeued', attempt: 2 });
    // Who waits for a start waits in full from the resume on.
    await runAt(659_999);
    expect(await world.database.query('SELECT 1 FROM jobwarden.verdicts')).toEqual([]);
    await runAt(660_000);
    expect(await world.database.query(`SELECT 1 FROM jobwarden.verdicts WHERE verdict = 'starved'`)).toHaveLength(1);
    expect(await granted('waits', '2', w2.worker)).toMatchObject({ attempt: 1 });
    const decisions = await world.database.query('SELECT n, type, made_by AS by FROM jobwarden.queue_decisions ORDER BY n');
    expect(decisions).toEqual([
      { n: 1, type: 'paused', by: 'anna' },
      { n: 2, type: 'resumed', by: 'anna' },
    ]);
  });

  it('of a throttled queue lets so many claims through a second, of all together', async () => {
    await begin();
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    await world.send(...[...ids, 'g'].map((job) => ({ type: 'queued', job })));
    await world.gates.set({ namespace: 'default', queue: 'q', gate: 'throttled', perSecond: 2, reason: 'slowly', by: 'anna' });
    const all = async () => {
      const answers = await Promise.all(ids.map((id) => world.claim(id, { claimId: id, worker: { id } })));
      return answers.filter((a) => a.kind === 'granted').length;
    };
    expect(await all()).toBe(1);
    const again = await world.claim('g', { claimId: 'again', ...w1 });
    expect(again).toMatchObject({ kind: 'refused', refusal: 'throttled', retryAfterMs: 500 });
  });

  it('takes a permit of a throttled queue for what begins, and for nothing else that is asked', async () => {
    await begin();
    await world.send(...['runs', 'over', 'b', 'c'].map((job) => ({ type: 'queued', job })));
    const { token } = await granted('over', 'over');
    await world.send({ type: 'succeeded', job: 'over', ...w1, token });
    await granted('runs', 'runs');
    await world.gates.set({ namespace: 'default', queue: 'q', gate: 'throttled', perSecond: 0.2, reason: 'slowly', by: 'anna' });
    expect(await world.claim('runs', { claimId: 'other', ...w2 })).toMatchObject({ refusal: 'held' });
    expect(await world.claim('runs', { claimId: 'named', token, ...w2 })).toMatchObject({ refusal: 'superseded' });
    expect(await world.claim('over', { claimId: 'late', ...w2 })).toMatchObject({ refusal: 'finished' });
    expect(await granted('runs', 'runs')).toMatchObject({ attempt: 1 });
    const first = await granted('b', 'b', w2.worker);
    expect(await granted('b', 'b', w2.worker)).toEqual(first);
    expect(await world.claim('c', { claimId: 'c', ...w2 })).toMatchObject({ refusal: 'throttled', retryAfterMs: 5_000 });
    await world.at(T0 + 5_000);
    expect(await granted('b', 'b', w2.worker)).toEqual(first);
    expect(await granted('c', 'c', w2.worker)).toMatchObject({ attempt: 1 });
  });

  it('never lets more begin than there are permits, though many claim the same jobs at once and more of them find one', async () => {
    await begin();
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    await world.send(...ids.map((job) => ({ type: 'queued', job })));
    await world.gates.set({ namespace: 'default', queue: 'q', gate: 'throttled', perSecond: 3, reason: 'slowly', by: 'anna' });
    await world.at(T0 + 1_000);
    const claims = ids.flatMap((id) => ['x', 'y', 'z'].map((who) => world.claim(id, { claimId: `${id}-${who}`, worker: { id: who } })));
    const answers = await Promise.all(claims);
    expect(answers.filter(({ kind }) => kind === 'granted')).toHaveLength(3);
    const refusals = new Set(answers.flatMap((answer) => (answer.kind === 'refused' ? [answer.refusal] : [])));
    expect([...refusals].sort()).toEqual(['held', 'throttled']);
    expect(await world.database.query(`SELECT 1 FROM jobwarden.jobs WHERE status = 'processing'`)).toHaveLength(3);
  });

  it('needs no permit of a queue that another replica has opened a moment ago, and gives none of one that it has paused', async () => {
    await begin();
    await world.send(...['a', 'b', 'c'].map((job) => ({ type: 'queued', job })));
    const by = { namespace: 'default', queue: 'q', reason: 'because', by: 'anna' } as const;
    await world.gates.set({ ...by, gate: 'throttled', perSecond: 0.2 });
    const elsewhere = async (gate: string) => await world.database.query('UPDATE jobwarden.queue_gates SET gate = $1, per_second = NULL', [gate]);
    await elsewhere('open');
    await granted('a', 'a');
    await granted('b', 'b');
    await elsewhere('paused');
    expect(await world.claim('c', { claimId: 'c', ...w1 })).toMatchObject({ refusal: 'throttled', retryAfterMs: 1_000 });
  });

  it('puts nothing back into a queue that was paused while a replica was halted that knows nothing of it yet', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' });
    const { token } = await granted('a', '1');
    await world.send({ type: 'failed', job: 'a', ...w1, token, error: { class: 'E', message: 'm' } });
    const elsewhere = new QueueGates(new PgQueueGateStore(world.database, new QueueIds(world.database)));
    await elsewhere.set({ namespace: 'default', queue: 'q', gate: 'paused', perSecond: null, reason: 'database is sick', by: 'anna' });
    await runAt(60_000);
    await runAt(120_000);
    expect(await world.job('a')).toMatchObject({ status: 'retrying', heldBy: 'paused' });
    await world.send({ type: 'queued', job: 'b' });
    expect(await world.claim('b', { claimId: 'b', ...w1 })).toMatchObject({ refusal: 'paused', retryAfterMs: 5_000 });
  });
});
