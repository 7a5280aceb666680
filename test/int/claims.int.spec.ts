import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimAnswer } from '#libs/application';
import { pgReadModels } from '#libs/postgres';
import { anomaliesOf, eventTypeOf, stateFromJson, tokenOf, type Level, type QueuePolicy } from '#libs/domain';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';

const T0 = 1_700_000_000_000;
const w1 = { worker: { id: 'w1' } };
const w2 = { worker: { id: 'w2' } };

type Granted = Extract<ClaimAnswer, { kind: 'granted' }>;

describe('claims on a real database', () => {
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
    world = new World(database.url, fixedPolicies({ claims: 'required', leaseMs: 30_000, ...changes }, level));
    await world.startClock(T0);
  }

  async function runAt(ms: number): Promise<void> {
    await world.at(T0 + ms);
    for (let run = await world.run(); run.looked > 0; run = await world.run());
  }

  async function granted(id: string, claimId: string, worker = w1.worker): Promise<Granted> {
    const answer = await world.claim(id, { claimId, worker });
    if (answer.kind !== 'granted') throw new Error(JSON.stringify(answer));
    return answer;
  }

  /** What the log keeps of a job, in its order: types, and of decisions why. */
  async function kept(id: string): Promise<readonly string[]> {
    const page = await pgReadModels(world.database).jobs.timeline({ namespace: 'default', queue: 'q', id }, { after: null, limit: 100 });
    return (page?.items ?? []).map((entry) => {
      const { reason } = JSON.parse(entry.data) as { readonly reason?: string };
      const type = eventTypeOf(entry.type)?.type ?? '';
      return `${type}${reason === undefined ? '' : ` ${reason}`} (${entry.source} ${entry.id})`;
    });
  }

  it('of fifty that repeat one claim at once all get the same answer, and one redeems', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a', payload: { to: 'x' }, kind: 'mail' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => world.claim('a', { claimId: 'c', ...w1 })));
    expect(new Set(answers.map((a) => JSON.stringify(a))).size).toBe(1);
    const { command, ...grant } = answers[0] as Granted;
    expect(grant).toEqual({ kind: 'granted', attempt: 1, token: 1, leaseMs: 30_000, invalidation: null });
    // As text: the payload in it is the one that was sent, byte for byte.
    expect(JSON.parse(String(command))).toEqual({ queue: 'q', n: 0, attempt: 1, token: 1, reason: 'queued', kind: 'mail', payload: { to: 'x' } });
    expect(await kept('a')).toEqual(['queued (test 1)', 'claimed (jobwarden claim/c)']);
  });

  it('of fifty different ones at once one wins, and the others are held', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' });
    const claims = Array.from({ length: 50 }, (_, i) => ({ claimId: `c${String(i)}`, worker: { id: `w${String(i)}` } }));
    const answers = await Promise.all(claims.map((claim) => world.claim('a', claim)));
    expect(answers.filter((a) => a.kind === 'granted')).toHaveLength(1);
    const lost = answers.filter((a) => a.kind === 'refused');
    expect(lost).toHaveLength(49);
    for (const answer of lost) expect(answer).toMatchObject({ refusal: 'held', attempt: 1, status: 'processing' });
    expect(await kept('a')).toHaveLength(2);
  });

  it('gives an unknown job its first grant, to one of many', async () => {
    await begin();
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((id) => world.claim('new', { claimId: id, worker: { id } })));
    expect(answers.filter((a) => a.kind === 'granted')).toEqual([
      { kind: 'granted', attempt: 1, token: 1, leaseMs: 30_000, invalidation: null, command: null },
    ]);
    expect(await world.job('new')).toMatchObject({ status: 'processing', waitsFor: 'lease' });
  });

  it('makes the next grant once lease and grace are over, also below act, and tells with it what belongs to it', async () => {
    await begin({}, 'observe');
    await world.send({ type: 'queued', job: 'a', payload: 7, invalidates: { keys: ['k'] } });
    const { token } = await granted('a', '1');
    await world.send({ type: 'heartbeat', job: 'a', ...w1, token, progress: { at: 3 } });
    await runAt(44_999);
    expect(await world.claim('a', { claimId: '2', ...w2 })).toMatchObject({ refusal: 'held', retryAfterMs: 1 });
    await runAt(45_000);
    const next = await granted('a', '2', w2.worker);
    expect(next).toMatchObject({ attempt: 2, token: 2, invalidation: { number: 3 } });
    expect(JSON.parse(String(next.command))).toMatchObject({ n: 1, reason: 'claim', payload: 7, progress: { at: 3 }, previousWorker: w1.worker });
    expect(await granted('a', '2', w2.worker)).toEqual(next);
    expect(await kept('a')).toEqual([
      ...['queued (test 1)', 'claimed (jobwarden claim/1)', 'requeued claim (jobwarden decision/1)'],
      'claimed (jobwarden claim/2)',
    ]);
    const verdicts = await world.database.query<{ grade: string }>('SELECT grade FROM jobwarden.verdicts');
    expect(verdicts).toEqual([{ grade: 'confirmed' }]);
  });

  it('makes no grant before the lanes have been read beyond the deadline', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' });
    await granted('a', '1');
    const leave = world.clock.enter();
    await world.at(T0 + 60_000);
    expect(await world.claim('a', { claimId: '2', ...w2 })).toMatchObject({ refusal: 'held' });
    leave();
    await world.read();
    expect(await granted('a', '2', w2.worker)).toMatchObject({ attempt: 2 });
  });

  it('ends the job where its retries are used up', async () => {
    await begin({ maxRetries: 0 }, 'observe');
    await world.send({ type: 'queued', job: 'a' });
    await granted('a', '1');
    await world.at(T0 + 60_000);
    expect(await world.claim('a', { claimId: '2', ...w2 })).toMatchObject({ refusal: 'finished', retryAfterMs: null });
    expect(await world.job('a')).toMatchObject({ status: 'dead-lettered' });
  });

  it('refuses what the older token writes, and leaves the newer one’s row as it is (B1, B3)', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' });
    const old = await granted('a', '1');
    await runAt(30_000);
    await runAt(45_000);
    const fresh = await granted('a', '2');
    expect([old.token, fresh.token]).toEqual([1, 2]);
    const before = await world.job('a');
    const mine = { job: 'a', ...w1, attempt: 1, token: old.token };
    const late = await world.send({ type: 'heartbeat', id: 'h1', ...mine });
    const ends = await world.send(
      { type: 'released', id: 'r', ...mine },
      { type: 'succeeded', id: 's', ...mine },
    );
    for (const result of [...late, ...ends]) expect(result).toMatchObject({ outcome: 'refused', code: 'superseded', state: 'superseded' });
    const after = await world.job('a');
    expect([after.status, after.attempt, after.lookAtMs]).toEqual([before.status, before.attempt, before.lookAtMs]);
    // Told again, kept once; a repeat is refused as it was.
    expect(await world.send({ type: 'heartbeat', id: 'h2', ...mine })).toMatchObject([{ code: 'superseded' }]);
    expect(await world.send({ type: 'succeeded', id: 's', ...mine })).toMatchObject([{ outcome: 'refused', code: 'superseded' }]);
    expect((await kept('a')).filter((k) => k.startsWith('write-refused'))).toEqual([
      ...['write-refused superseded (test h1)', 'write-refused superseded (test r)', 'write-refused superseded (test s)'],
    ]);
    // The newer lease ends when it would have: nobody has extended it.
    await world.at(T0 + 74_999);
    expect((await world.run()).decided).toBe(0);
    await world.at(T0 + 75_000);
    expect((await world.run()).decided).toBe(1);
  });

  it('extends a claimed lease with its token only, also in a worker’s own beat', async () => {
    await begin();
    await world.send({ type: 'queued', job: 'a' });
    const { token } = await granted('a', '1');
    const beatAt = async (ms: number, given: object) => {
      await world.at(T0 + ms);
      return (await world.send({ type: 'heartbeat', job: 'a', ...w1, ...given }))[0];
    };
    const leaseEnd = async () => (await world.database.query<{ ms: number }>('SELECT beat_ms AS ms FROM jobwarden.leases'))[0]?.ms;
    expect(await beatAt(10_000, { token })).toMatchObject({ outcome: 'recorded', state: 'go-on' });
    expect(await beatAt(20_000, {})).toMatchObject({ outcome: 'refused', code: 'token_required' });
    expect(await beatAt(20_000, { token: 9 })).toMatchObject({ outcome: 'refused', code: 'token_unknown' });
    expect(await leaseEnd()).toBe(T0 + 10_000);
    const whole = async (ms: number, given: object) => {
      await world.at(T0 + ms);
      const jobs = [{ queue: 'q', id: 'a', ...given }];
      return (await world.send({ type: 'jobwarden.worker.heartbeat.v1', job: 'w1', ...w1, jobs }))[0];
    };
    expect(await whole(25_000, { token })).toMatchObject({ jobs: [{ state: 'go-on' }] });
    expect(await whole(35_000, { token })).toMatchObject({ jobs: [{ state: 'go-on' }] });
    expect(await whole(45_000, { token: 9 })).toMatchObject({ jobs: [{ code: 'token_unknown' }] });
    expect(await whole(64_000, { token: 9 })).toMatchObject({ jobs: [{ code: 'token_unknown' }] });
    // The last beat with the token was at 35 s, whatever the worker says since.
    await runAt(64_999);
    expect(await world.job('a')).toMatchObject({ status: 'processing' });
    await runAt(65_000);
    expect(await world.job('a')).toMatchObject({ status: 'restart-requested' });
  });

  it('keeps an event without a token as refused, and takes an operator’s change without one (B6)', async () => {
    await begin({ claims: 'off', idempotent: true });
    await world.send({ type: 'queued', job: 'a' });
    const { token } = await granted('a', '1');
    expect(await world.send({ type: 'started', job: 'a', ...w1, token })).toMatchObject([{ outcome: 'appended', state: 'go-on' }]);
    const bare = await world.send({ type: 'succeeded', id: 'bare', job: 'a', ...w1 });
    expect(bare).toMatchObject([{ outcome: 'refused', code: 'token_required' }]);
    expect(await world.job('a')).toMatchObject({ status: 'processing' });
    expect(await kept('a')).toContain('write-refused token_required (test bare)');
    expect(await world.send({ type: 'cancelled', job: 'a' })).toMatchObject([{ outcome: 'appended' }]);
    expect(await world.job('a')).toMatchObject({ status: 'cancelled' });
  });

  it.each(['required', 'off'] as const)('attempt 1 stalls, attempt 2 succeeds, then attempt 1 reports success (B2, claims: %s)', async (claims) => {
    await begin({ claims, idempotent: true });
    await world.send({ type: 'queued', job: 'a' });
    const sink = new Sink();
    const own = claims === 'required';
    const start = async (attempt: number, { worker }: typeof w1) => {
      const token = own ? (await granted('a', String(attempt), worker)).token : tokenOf(0, attempt);
      await world.send({ type: 'started', job: 'a', attempt, worker, token, leaseMs: 30_000 });
      return { job: 'a', attempt, worker, token };
    };
    const first = await start(1, w1);
    await runAt(30_000);
    await runAt(45_000);
    const second = await start(2, w2);
    expect(sink.store(second.token)).toBe('stored');
    expect(await world.send({ type: 'succeeded', ...second })).toMatchObject([{ outcome: 'appended' }]);
    // At a sink that keeps the highest token the zombie leaves no second effect, in either mode.
    expect(sink.store(first.token)).toBe('refused');
    const [late] = await world.send({ type: 'succeeded', ...first });
    expect(late).toMatchObject(own ? { outcome: 'refused', code: 'superseded' } : { outcome: 'appended' });
    const anomalies = anomaliesOf(stateFromJson((await world.job('a')).state));
    expect(anomalies).toEqual(own ? [] : [{ code: 'two_successes', attempt: 0, workers: [w1.worker, w2.worker] }]);
    expect(await world.job('a')).toMatchObject({ status: 'succeeded', attempt: 2 });
  });
});

/** A store that keeps the highest token which has written to it. */
class Sink {
  private highest = 0;

  store(token: number): 'stored' | 'refused' {
    if (token < this.highest) return 'refused';
    this.highest = token;
    return 'stored';
  }
}
