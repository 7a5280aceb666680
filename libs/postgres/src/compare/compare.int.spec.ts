import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Compare, Meter, MendDifferences, statusWords, type CompareItem, type CompareRequest } from '#libs/application';
import { DEFAULT_LIMITS, jobKey } from '#libs/contracts';
import { stateFromJson, type Level } from '#libs/domain';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { PgCompareStore } from './pg-compare-store.js';

const T0 = 1_800_000_000_000;
const w1 = { worker: { id: 'w1' } };
const parsed = statusWords(undefined, 'bullmq');
const REQUEST: CompareRequest = {
  namespace: 'default',
  queue: 'q',
  words: parsed.ok ? parsed.words : () => null,
  maySee: () => true,
  limits: DEFAULT_LIMITS,
  complete: false,
  asOfMs: null,
  mend: null,
};

describe('a comparison with the rows', () => {
  const database = useTestDatabase();
  let world: World;
  let store: PgCompareStore;
  let nowMs = T0;

  beforeAll(async () => {
    world = new World(database.url, fixedPolicies({ idempotent: true }, 'act'));
    await world.startClock(T0);
    store = new PgCompareStore(world.database);
    await world.send(
      { type: 'queued', job: 'done', invalidates: { keys: ['k1'], tags: [] } },
      { type: 'started', job: 'done', ...w1 },
      { type: 'succeeded', job: 'done', invalidates: { keys: ['k2'], tags: ['t'] } },
      { type: 'queued', job: 'plain' },
      { type: 'succeeded', job: 'plain' },
      { type: 'started', job: 'leased', leaseMs: 60_000, ...w1 },
      { type: 'started', job: 'silent', leaseMs: 1_000, ...w1 },
      { type: 'queued', job: 'waiting' },
      { type: 'queued', job: 'later', notBefore: new Date(T0 + 86_400_000).toISOString() },
      { type: 'queued', job: 'elsewhere', queue: 'other' },
    );
    nowMs += 10_000;
    await world.at(nowMs);
  });
  afterAll(() => world.close());

  function compare(level: Level, actionsAllowed = true): Compare {
    const policies = fixedPolicies({ idempotent: true }, level);
    const meter = new Meter(() => Promise.resolve(), () => 0);
    const parts = { log: world.log, clock: world.clock, policies, meter, actionsAllowed };
    const mender = new MendDifferences({ ...parts, invalidatesOfSuccesses: (keys) => store.invalidatesOfSuccesses(keys) });
    return new Compare({ store, mender, pause: () => Promise.resolve(), nowMs: () => 0 }, { chunk: 2 });
  }

  async function run(made: Compare, list: Readonly<Record<string, string>>, more: Partial<CompareRequest> = {}) {
    const text = Object.entries(list).map(([id, status]) => JSON.stringify({ id, status }));
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from(text.join('\n')));
    }
    const items: CompareItem[] = [];
    for await (const item of made.run(chunks(), { ...REQUEST, ...more }, new AbortController().signal)) items.push(item);
    return items.flatMap((i) =>
      i.type === 'difference' ? [[i.difference.kind, i.difference.ref.id, ...(i.mended === null ? [] : [i.mended.outcome, i.mended.why])].join(' ')] : [],
    );
  }

  const mend = (name: 'invalidate' | 'requeue') => ({ mend: { mend: name, reason: 'the cache lies', by: 'ann' } });
  const decisions = async (id: string) => stateFromJson((await world.job(id)).state).decisions;

  it('finds each kind, and nothing where both say the same', async () => {
    const list = { done: 'active', leased: 'completed', waiting: 'wait', ghost: 'active', silent: 'unknown', plain: 'completed' };
    expect(await run(compare('act'), list)).toEqual([
      'theirs_behind done',
      'theirs_ahead leased',
      'unknown_here ghost',
      'unknown_there silent',
    ]);
  });

  it('finds in a complete list what is live, page by page, and only of its queue', async () => {
    const found = await run(compare('act'), { leased: 'active' }, { complete: true });
    expect(found.sort()).toEqual(['unknown_there later', 'unknown_there silent', 'unknown_there waiting']);
    const scope = { namespace: 'default', queue: 'q', untilMs: nowMs };
    const seen: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = await store.live(scope, { limit: 1, after });
      seen.push(...page.items.map((j) => j.id));
      if (page.next === null) break;
      after = page.next;
    }
    expect(seen.sort()).toEqual(['later', 'leased', 'silent', 'waiting']);
    expect(await store.live({ ...scope, untilMs: T0 - 1 }, { limit: 5, after: null })).toEqual({ items: [], next: null });
  });

  it('knows a job below the retention line by what is left of it', async () => {
    const ref = { namespace: 'default', queue: 'q', id: 'retired' };
    const client = `INSERT INTO jobwarden.job_summaries SELECT $1, queue_id, 'retired', 'succeeded', 2, 2, 5 FROM jobwarden.queues WHERE queue = 'q'`;
    await asOwner(database.url, client, [jobKey(ref)]);
    expect(await run(compare('act'), { retired: 'completed' })).toEqual([]);
    expect(await run(compare('act'), { retired: 'active' })).toEqual(['theirs_behind retired']);
  });

  it('sends the keys of stale jobs again, whatever the level, those of their success too', async () => {
    const list = { done: 'active', plain: 'active', silent: 'waiting' };
    expect(await run(compare('observe'), list, mend('invalidate'))).toEqual([
      'theirs_behind done done ',
      'theirs_behind plain not-applicable nothing_to_invalidate',
      'theirs_behind silent not-applicable nothing_to_invalidate',
    ]);
    expect(await decisions('done')).toMatchObject([{ kind: 'invalidation-requested', attempt: 1, by: 'ann', reason: 'the cache lies' }]);
    expect(await world.job('done')).toMatchObject({ status: 'succeeded', n: 1 });
    const [entry] = await world.database.query<{ data: string; goes_out: boolean }>(
      'SELECT data, goes_out FROM jobwarden.events WHERE type = 116',
    );
    expect(entry?.goes_out).toBe(true);
    expect(JSON.parse(entry?.data ?? '{}')).toMatchObject({ evidence: { keys: ['k2'], tags: ['t'] } });
  });

  it('requeues only at act, and never under a live lease, before its time, or while actions are off', async () => {
    const list = { leased: 'waiting', silent: 'waiting', waiting: 'unknown', later: 'unknown', done: 'waiting', ghost: 'waiting' };
    const others = ['theirs_behind done not-applicable kind', 'unknown_here ghost not-applicable kind'];
    expect(await run(compare('observe'), list, mend('requeue'))).toEqual([
      'theirs_behind leased held lease',
      'theirs_behind silent would-have observe',
      'unknown_there waiting would-have observe',
      'unknown_there later held not_before',
      ...others,
    ]);
    expect(await run(compare('act', false), { silent: 'waiting' }, mend('requeue'))).toEqual(['theirs_behind silent held actions_off']);
    expect([await decisions('silent'), await decisions('waiting')]).toEqual([[], []]);
    expect(await run(compare('act'), list, mend('requeue'))).toEqual([
      'theirs_behind leased held lease',
      'theirs_behind silent done ',
      'unknown_there waiting done ',
      'unknown_there later held not_before',
      ...others,
    ]);
    expect(await decisions('silent')).toMatchObject([{ kind: 'restart-requested', by: 'ann', reason: 'the cache lies' }]);
    expect(await decisions('waiting')).toMatchObject([{ kind: 'republished', attempt: 1 }]);
    expect(await decisions('leased')).toEqual([]);
  });

  it('holds a lease for live as long as something that could renew it has not been read', async () => {
    await world.send({ type: 'started', job: 'unread', leaseMs: 1_000, ...w1 });
    const leave = world.clock.enter();
    await world.database.query('UPDATE jobwarden.installation SET clock_ms = $1', [nowMs + 5_000]);
    expect(await run(compare('act'), { unread: 'waiting' }, mend('requeue'))).toEqual(['theirs_behind unread held lease']);
    leave();
    nowMs += 5_000;
    await world.at(nowMs);
    expect(await run(compare('act'), { unread: 'waiting' }, mend('requeue'))).toEqual(['theirs_behind unread done ']);
  });
});

async function asOwner(url: string, text: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text, [...values]);
  } finally {
    await client.end();
  }
}
