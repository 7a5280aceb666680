import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EvidenceDesk, type EvidenceCall } from '#libs/application';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';
import { PgEvidenceStore } from './pg-evidence-store.js';

const T0 = 1_700_000_000_000;
async function arrayOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const queues = [{ namespace: 'default', queue: 'q' }];

describe('what one bad worker knows of itself', () => {
  let database: TestDatabase;
  let world: World;
  let store: PgEvidenceStore;
  let desk: EvidenceDesk;

  beforeEach(async () => {
    database = await createTestDatabase();
    world = new World(database.url, fixedPolicies({ leaseMs: 30_000 }, 'observe'));
    await world.startClock(T0);
    store = new PgEvidenceStore(world.database);
    let keys = 0;
    desk = new EvidenceDesk({ store, newKey: () => `key-${String((keys += 1))}`, sha256: () => createHash('sha256'), maxBytes: 3_000_000 });
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  /** A worker that beats with something of the queue in hand. */
  async function beats(id: string, revision: string, { heapUsed = 1, queue = 'q', incarnation = '1' } = {}): Promise<void> {
    await world.send({ type: 'started', job: `of-${id}`, queue, worker: { id, incarnation, revision } });
    const beat = { type: 'jobwarden.worker.heartbeat.v1', job: id, worker: { id, incarnation, revision }, jobs: [{ queue, id: `of-${id}` }], runtime: { heapUsed, heapLimit: 100 } };
    await world.send(beat);
  }
  const wanted = (id: string, incarnation = '1') => desk.wanted('default', { id, incarnation });
  async function asked(id: string): Promise<EvidenceCall> {
    await desk.ask('7', queues, 'bad');
    const call = wanted(id);
    if (call === null) throw new Error(`${id} was not asked`);
    return call;
  }
  const body = (...pieces: readonly Uint8Array[]) => (async function* () { for (const piece of pieces) yield await Promise.resolve(piece); })();
  const read = async (id: string, kind: 'report' | 'heap-snapshot') => Buffer.concat(await arrayOf(store.bytes(id, kind)));
  const stored = async () => Number((await world.database.query<{ n: number }>('SELECT count(*) AS n FROM jobwarden.evidence_chunks'))[0]?.n);

  it('is asked of the one with the fullest heap that is alive, of the revision, and of the queue: once per incident', async () => {
    expect(await desk.standing('7')).toEqual({ outcome: 'not-asked', figures: {} });
    await beats('dead', 'bad', { heapUsed: 99 });
    await world.at(T0 + 61_000);
    await beats('good', 'good', { heapUsed: 98 });
    await beats('elsewhere', 'bad', { heapUsed: 97, queue: 'other' });
    await beats('full', 'bad', { heapUsed: 90 });
    await beats('idle', 'bad', { heapUsed: 10 });
    const call = await asked('full');
    expect(call).toEqual({ id: call.id, key: 'key-1', kinds: ['report', 'heap-snapshot'], withinMs: 20_000, maxBytes: 3_000_000 });
    await desk.ask('7', queues, 'bad');
    expect([wanted('idle'), wanted('full', '2'), wanted('full')?.key]).toEqual([null, null, 'key-1']);
    expect(await desk.standing('7')).toEqual({ outcome: 'asked', figures: { evidence: call.id, worker: 'full' } });
    await desk.ask('8', queues, 'nowhere');
    expect((await desk.standing('8')).outcome).toBe('no-worker');
  });

  it('is kept byte for byte, told with its hash, read again, and erased for good', async () => {
    await beats('w', 'bad');
    const { id, key } = await asked('w');
    const heap = Buffer.alloc(2_500_000, 'heap ');
    expect(await desk.receive({ id, kind: 'report', key }, body(Buffer.from('{}')))).toMatchObject({ kind: 'kept', bytes: 2 });
    await desk.receive({ id, kind: 'heap-snapshot', key }, body(heap.subarray(0, 10), heap.subarray(10)));
    expect(await desk.finish(id, key, [])).toBeNull();
    const { outcome, figures } = await desk.standing('7');
    expect(outcome).toBe('captured');
    expect(figures).toMatchObject({ worker: 'w', bodies: [{ ref: `evidence/${id}/report`, bytes: 2 }, { ref: `evidence/${id}/heap-snapshot`, bytes: 2_500_000 }] });
    expect((await read(id, 'heap-snapshot')).equals(heap)).toBe(true);
    expect(wanted('w')).toBeNull();
    await store.erase(id, 'anna', 'seen');
    await store.erase(id, 'bert', 'again');
    expect(await stored()).toBe(0);
    expect((await store.one(id))?.erased).toEqual({ ms: T0, by: 'anna', reason: 'seen' });
  });

  it('is not taken without the key, beyond its size, after its end, or where it breaks off', async () => {
    await beats('w', 'bad');
    const { id, key } = await asked('w');
    const of = { id, kind: 'report', key } as const;
    expect(await desk.receive({ ...of, key: 'key-9' }, body())).toEqual({ kind: 'refused', code: 'evidence_key_wrong' });
    expect(await desk.receive({ ...of, id: '999' }, body())).toEqual({ kind: 'refused', code: 'evidence_unknown' });
    expect(await desk.receive(of, body(Buffer.alloc(2_000_000), Buffer.alloc(1_500_000)))).toEqual({ kind: 'refused', code: 'evidence_too_large' });
    const broken = (async function* () {
      yield await Promise.resolve(Buffer.alloc(1_100_000));
      throw new Error('gone');
    })();
    await expect(desk.receive({ ...of, kind: 'heap-snapshot' }, broken)).rejects.toThrow('gone');
    expect(await stored()).toBe(0);
    expect(await desk.finish(id, key, [{ kind: 'report', reason: 'the worker does not allow it' }])).toBeNull();
    expect(await desk.standing('7')).toMatchObject({ outcome: 'no-worker', figures: { refused: true, left: [{ reason: 'the worker does not allow it' }, { reason: 'it broke off' }] } });
    expect(await desk.receive(of, body())).toEqual({ kind: 'refused', code: 'evidence_unknown' });
  });

  it('is waited for no longer than twenty seconds: what has come whole by then is kept', async () => {
    await beats('w', 'bad');
    const { id, key } = await asked('w');
    await world.at(T0 + 19_999);
    expect((await desk.standing('7')).outcome).toBe('asked');
    await world.at(T0 + 20_000);
    expect((await desk.standing('7')).outcome).toBe('timed-out');
    expect(await desk.receive({ id, kind: 'report', key }, body())).toEqual({ kind: 'refused', code: 'evidence_unknown' });
    await desk.ask('8', queues, 'bad');
    const second = wanted('w');
    if (second === null) throw new Error('it was not asked again');
    await desk.receive({ id: second.id, kind: 'report', key: second.key }, body(Buffer.from('{}')));
    const late = (async function* () {
      yield await Promise.resolve(Buffer.alloc(1_100_000));
      await world.at(T0 + 40_000);
      await desk.refresh();
      yield Buffer.alloc(1_100_000);
    })();
    await expect(desk.receive({ id: second.id, kind: 'heap-snapshot', key: second.key }, late)).rejects.toMatchObject({ code: 'evidence_over' });
    expect(await desk.standing('8')).toMatchObject({ outcome: 'captured', figures: { bodies: [{ bytes: 2 }], left: [{ kind: 'heap-snapshot', reason: 'not whole in time' }] } });
    expect(await stored()).toBe(1);
  });
});
