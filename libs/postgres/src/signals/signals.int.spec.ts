import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Signals, type Signal, type ToldSignal } from '#libs/application';
import { DEFAULT_POLICY, fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { PgMaintenanceStore } from './pg-maintenance-store.js';
import { PgSignalStore } from './pg-signal-store.js';

const NOW = Date.UTC(2026, 0, 5);
const TARGET = 'prod/mail';

let count = 0;
const identity = (): string => (++count).toString(16).padStart(32, '0');

function told(more: Partial<ToldSignal> = {}): ToldSignal {
  const id = identity();
  return { ...{ identity: id, source: 'alertmanager', fingerprint: id.slice(-8), startsMs: NOW, namespace: 'default', queue: 'mail' }, firing: true, figures: {}, refused: null, ...more };
}

describe('signals', () => {
  const database = useTestDatabase();
  let world: World;
  let store: PgSignalStore;
  let windows: PgMaintenanceStore;
  let desk: Signals;
  const settled: (readonly [readonly Signal[], string | null])[] = [];
  beforeAll(async () => {
    world = new World(database.url, fixedPolicies());
    await world.startClock(NOW);
    store = new PgSignalStore(world.database);
    windows = new PgMaintenanceStore(world.database);
    const policies = fixedPolicies({ rollback: { ...DEFAULT_POLICY.rollback, target: TARGET, coolDownMs: 1 } });
    desk = new Signals({ store, windows, policies, settled: (...what) => void settled.push(what) });
  });
  afterAll(() => world.close());
  const openIds = async (): Promise<readonly string[]> => (await desk.open()).map(({ id }) => id);
  const one = async (signal: ToldSignal) => (await store.tell([signal]))[0];
  const clear = async () => await desk.settle(await openIds(), 'joined');

  it('are one, however often and in whatever order they are told, and what is resolved stays so', async () => {
    const alert = told({ figures: { ratio: 0.3 } });
    const over = { ...alert, firing: false, figures: {} };
    const answers = await Promise.all([alert, alert, alert].map(async (signal) => await one(signal)));
    expect(answers.filter((answer) => answer?.isNew)).toHaveLength(1);
    expect(await openIds()).toEqual([answers[0]?.row.id]);
    await one(over);
    const late = await one(alert);
    expect(late).toMatchObject({ isNew: false, row: { settled: 'over', resolvedMs: NOW, times: 5, figures: { ratio: 0.3 } } });
    expect(await openIds()).toEqual([]);
  });

  it('that are first told as resolved never open', async () => {
    const alert = told({ firing: false });
    expect(await one(alert)).toMatchObject({ isNew: true, row: { settled: 'resolved_before_firing' } });
    expect(await one({ ...alert, firing: true })).toMatchObject({ row: { settled: 'resolved_before_firing' } });
    expect(await openIds()).toEqual([]);
  });

  it('belong to one incident, go on until they are resolved, and are answered in the order in which they were told', async () => {
    const [a, b] = [told(), told()];
    const answers = await store.tell([b, a]);
    expect(answers.map(({ row }) => row.fingerprint)).toEqual([b.fingerprint, a.fingerprint]);
    const ids = answers.map(({ row }) => row.id);
    await desk.assign(ids, '7');
    await desk.assign(ids, '8');
    expect((await desk.standing('7')).map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(await desk.standing('8')).toEqual([]);
    expect(await openIds()).toEqual([]);
    await one({ ...a, firing: false });
    expect(await desk.standing('7')).toMatchObject([{ fingerprint: b.fingerprint, incidentId: '7', settled: null }]);
  });

  it('of an unknown queue are refused, and open once the queue is known', async () => {
    const alert = told({ queue: 'later' });
    await one({ ...alert, namespace: null, queue: null, refused: { why: 'queue_unknown', detail: 'no' } });
    expect(await openIds()).toEqual([]);
    expect(await one(alert)).toMatchObject({ row: { settled: null, detail: null, queue: 'later' } });
    expect((await desk.open()).map(({ queue }) => queue)).toEqual(['later']);
    await clear();
  });

  it.each([
    [{ namespace: null, queue: null, target: TARGET }],
    [{ namespace: 'default', queue: 'mail', target: null }],
    [{ namespace: 'default', queue: null, target: null }],
  ])('within a maintenance window of %j lead to nothing, and open after it', async (scope) => {
    const window = await windows.start({ ...scope, fromMs: null, untilMs: NOW + 1_000, reason: 'r', by: 'ada' });
    const answer = await one(told());
    settled.length = 0;
    expect(await openIds()).toEqual([]);
    expect(await openIds()).toEqual([]);
    expect(settled.map(([signals, why]) => [signals.length, why])).toEqual([[1, 'maintenance']]);
    expect((await store.list({ namespaces: 'all' }, { limit: 1, after: null })).items).toMatchObject([{ settled: 'maintenance' }]);
    expect(await windows.end(window.id, 'bob')).toMatchObject({ endedBy: 'bob', endedMs: NOW });
    expect(await windows.end(window.id, 'eve')).toMatchObject({ endedBy: 'bob' });
    expect(await openIds()).toEqual([answer?.row.id]);
    await clear();
  });

  it('that are settled for a while open again after it, if they still fire', async () => {
    const [goesOn, ends] = [told(), told()];
    const ids = (await store.tell([goesOn, ends])).map(({ row }) => row.id);
    await desk.settle(ids, 'cool_down', { ms: NOW + 5_000, detail: 'incident 4 rolled it back' });
    expect((await store.list({ namespaces: 'all' }, { limit: 1, after: null })).items).toMatchObject([{ settled: 'cool_down', detail: 'incident 4 rolled it back' }]);
    await one({ ...ends, firing: false });
    expect(await openIds()).toEqual([]);
    await world.at(NOW + 5_000);
    expect(await openIds()).toEqual([ids[0]]);
    expect(await openIds()).toEqual([ids[0]]);
    expect((await store.list({ namespaces: 'all' }, { limit: 2, after: null })).items.find(({ id }) => id === ids[0])).toMatchObject({ settled: null, detail: null });
    await clear();
  });

  it('of which nobody says any more that they go on are over', async () => {
    const [open, assigned, refused] = await store.tell([told(), told(), told({ refused: { why: 'no_queue', detail: 'no' }, queue: null })]);
    await desk.assign([assigned?.row.id ?? ''], '9');
    await world.at(NOW + 9_000);
    expect(await store.expire(1)).toBeGreaterThanOrEqual(3);
    expect(await openIds()).toEqual([]);
    expect(await desk.standing('9')).toEqual([]);
    const { items } = await store.list({ namespaces: 'all' }, { limit: 3, after: null });
    const found = [open, assigned, refused].map((answer) => items.find(({ id }) => id === answer?.row.id)?.settled);
    expect(found).toEqual(['silent', null, 'no_queue']);
  });

  it('are listed by pages and by how they stand, without those of other namespaces', async () => {
    await store.tell([told({ namespace: 'acme' }), told({ namespace: null, queue: null, refused: { why: 'no_queue', detail: 'no' } })]);
    const first = await store.list({ namespaces: 'all' }, { limit: 1, after: null });
    const second = await store.list({ namespaces: 'all' }, { limit: 1, after: first.next });
    expect([first.items[0]?.settled, second.items[0]?.namespace]).toEqual(['no_queue', 'acme']);
    const of = async (filter: Partial<Parameters<PgSignalStore['list']>[0]>) =>
      (await store.list({ namespaces: 'all', ...filter }, { limit: 100, after: null })).items;
    expect(await of({ namespaces: ['acme'] })).toHaveLength(1);
    expect(await of({ queue: 'later' })).toHaveLength(1);
    expect((await of({ state: 'open' })).map(({ namespace }) => namespace)).toEqual(['acme']);
    expect(await of({ state: 'standing' })).toEqual([]);
    expect((await of({ state: 'settled' })).every(({ settled }) => settled !== null)).toBe(true);
    expect((await of({ state: 'resolved' })).length).toBeGreaterThan(3);
    await clear();
  });

  it('are two hundred in one look where two hundred queues fail at once', async () => {
    await store.tell(Array.from({ length: 200 }, (_, i) => told({ queue: `q${String(i)}` })));
    const open = await desk.open();
    expect(new Set(open.map(({ queue }) => queue)).size).toBe(200);
  });
});
