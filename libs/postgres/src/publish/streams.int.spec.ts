import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  decodeVector,
  encodeVector,
  Streams,
  WakeSignal,
  type StreamItem,
  type StreamOptions,
  type Subscription,
} from '#libs/application';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { PgPublishingReport } from './pg-publishing-report.js';
import { PgStreamStore } from './pg-stream-store.js';
import { PublishingWorld, Replica, REPUBLISHED } from './publishing.fixture.js';

const COMMANDS: Subscription = { kind: 'commands', namespace: 'default', queue: null, from: null };

function heartbeatOf(item: StreamItem | undefined): string {
  if (item === undefined || !('heartbeat' in item)) throw new Error('no heartbeat');
  return item.heartbeat;
}

/** A client: everything it got, until it hangs up. */
class Client {
  readonly items: StreamItem[] = [];
  private readonly hangup = new AbortController();
  private readonly done: Promise<void>;

  constructor(streams: Streams, subscription: Partial<Subscription> = {}) {
    this.done = this.read(streams.subscribe({ ...COMMANDS, ...subscription }, this.hangup.signal));
  }

  get events(): { id: string; event: string; data: string }[] {
    return this.items.flatMap((item) => ('event' in item ? [item] : []));
  }

  get messages(): string[] {
    return this.events.map((e) => (JSON.parse(e.data) as { id: string }).id);
  }

  async got(count: number): Promise<void> {
    await waitUntil(`${String(count)} events`, () => this.events.length >= count);
  }

  async leave(): Promise<void> {
    this.hangup.abort();
    await this.done;
  }

  private async read(stream: AsyncIterable<StreamItem>): Promise<void> {
    for await (const item of stream) this.items.push(item);
  }
}

describe('streams', () => {
  const database = useTestDatabase();
  let world: PublishingWorld;
  let replica: Replica;
  let store: PgStreamStore;
  let published: WakeSignal;

  beforeAll(() => {
    world = new PublishingWorld(database.url);
    replica = new Replica(world);
    store = new PgStreamStore(world.database, { shardRows: 3 });
  });
  beforeEach(() => {
    published = new WakeSignal();
  });
  afterAll(() => world.close());

  const streams = (options: StreamOptions = {}): Streams =>
    new Streams(store, published, {}, { idleMs: 20, busyMs: 20, ...options });

  async function publish(...jobs: readonly string[]): Promise<void> {
    for (const job of jobs) await world.requeued(job, { invalidates: { keys: [job] } });
    await replica.publish();
    published.notify();
  }

  async function sentIds(): Promise<string[]> {
    return (await world.outbound())
      .filter((r) => r.kind === 'enqueue' && r.outcome === 'sent')
      .map((r) => r.message.id);
  }

  async function commandsFrom(from: string): Promise<{ ids: string[]; client: Client }> {
    const wanted = (await sentIds()).length;
    const client = new Client(streams(), { from });
    await client.got(wanted);
    await client.leave();
    return { ids: client.messages, client };
  }

  it('begin with what is sent from now on, each message with its own id', async () => {
    await publish('before');
    const client = new Client(streams());
    await waitUntil('the stream stands', () => client.items.length === 1);
    await publish('after');
    await client.got(1);
    await client.leave();
    expect(client.events).toMatchObject([{ event: 'jobwarden.command.enqueue.v1' }]);
    expect(client.events[0]?.data).toContain('"subject":"after"');
    const again = new Client(streams(), { from: heartbeatOf(client.items[0]) });
    await again.got(1);
    await again.leave();
    expect(again.messages).toEqual(client.messages);
  });

  it('give everything that is kept from the start, in pages, with no loss and no repeat', async () => {
    await publish(...Array.from({ length: 80 }, (_, i) => `bulk-${String(i)}`));
    const { ids } = await commandsFrom('start');
    expect([...ids].sort()).toEqual((await sentIds()).sort());
  });

  it('go on behind any event, wherever a client hung up', async () => {
    const all = (await commandsFrom('start')).client.events;
    for (const at of [0, 1, 7, Math.floor(all.length / 2), all.length - 2]) {
      const client = new Client(streams(), { from: all[at]?.id ?? '' });
      await client.got(all.length - at - 1);
      await client.leave();
      const before = all.slice(0, at + 1).map((e) => (JSON.parse(e.data) as { id: string }).id);
      expect([...before, ...client.messages].sort()).toEqual((await sentIds()).sort());
    }
  });

  it('lose and repeat nothing for many clients that come and go while messages are sent', async () => {
    const shared = streams({ keepBytes: 2_000 });
    const [first] = (await commandsFrom('start')).client.events.slice(-1);
    const steady = Array.from({ length: 5 }, () => new Client(shared, { from: first?.id ?? '' }));
    let restless = new Client(shared, { from: first?.id ?? '' });
    const gathered: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      await publish(...Array.from({ length: 6 }, (_, i) => `round-${String(round)}-${String(i)}`));
      await restless.got(1);
      await restless.leave();
      gathered.push(...restless.messages);
      restless = new Client(shared, { from: restless.events.at(-1)?.id ?? '' });
    }
    for (const client of steady) await client.got(60);
    await waitUntil('the restless client has the rest', () => gathered.length + restless.messages.length >= 60);
    for (const client of [...steady, restless]) await client.leave();
    const wanted = (await world.outbound())
      .filter((r) => r.kind === 'enqueue' && r.job.startsWith('round-'))
      .map((r) => r.message.id)
      .sort();
    expect([...gathered, ...restless.messages].sort()).toEqual(wanted);
    for (const client of steady) expect([...client.messages].sort()).toEqual(wanted);
  });

  it('keep the order of each job', async () => {
    const from = encodeVector({ epoch: 0, places: (await store.heads()).sent });
    const client = new Client(streams(), { kind: 'commands', from });
    await publish('ordered');
    for (let i = 0; i < 5; i += 1) {
      await world.decide('ordered', REPUBLISHED);
      await publish();
    }
    await client.got(6);
    await client.leave();
    const ns = client.events.map((e) => (JSON.parse(e.data) as { data: { n: number } }).data.n);
    expect(ns).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('carry a message that was parked when it goes out, to readers who are past its place in the log', async () => {
    const from = encodeVector({ epoch: 0, places: (await store.heads()).sent });
    await world.requeued('late', { payload: 'z'.repeat(300) });
    const strict = new Replica(world, { limits: { payloadLimitBytes: 100 } });
    await replica.leases.release(replica.id);
    await strict.publish();
    await strict.leases.release(strict.id);
    const client = new Client(streams(), { from });
    await publish(...Array.from({ length: 40 }, (_, i) => `after-late-${String(i)}`));
    await client.got(40);
    expect(client.events.some((e) => e.data.includes('"subject":"late"'))).toBe(false);
    const [row] = await world.outbound('late');
    const report = new PgPublishingReport(world.database);
    expect(await report.retry(`out.${String(row?.shard)}.${String(row?.number)}.enqueue`, 'default')).toBe(true);
    await publish();
    await client.got(41);
    await client.leave();
    expect(client.events.at(-1)?.data).toContain('"subject":"late"');
  });

  it('carry only their kind, their queue and their namespace', async () => {
    const from = encodeVector({ epoch: 0, places: (await store.heads()).sent });
    const invalidations = new Client(streams(), { kind: 'invalidations', from });
    const other = new Client(streams({ heartbeatMs: 30 }), { queue: 'other', from });
    const foreign = new Client(streams({ heartbeatMs: 30 }), { namespace: 'acme', from });
    const quiet = new Client(streams({ heartbeatMs: 30 }), { kind: 'incidents', from });
    await publish('kinds');
    await invalidations.got(1);
    await waitUntil('the others had a sign of life since', () =>
      [other, foreign, quiet].every((c) => c.items.length > 0 && isAhead(c.items.at(-1), from)),
    );
    for (const client of [invalidations, other, foreign, quiet]) await client.leave();
    expect(invalidations.events.map((e) => e.event)).toEqual(['jobwarden.invalidation.v1']);
    expect([other.events, foreign.events, quiet.events]).toEqual([[], [], []]);
  });

  /** A heartbeat moves the id on past what was for others, so that a reconnect need not read it again. */
  function isAhead(item: StreamItem | undefined, from: string): boolean {
    if (item === undefined || !('heartbeat' in item)) return false;
    const sum = (id: string): number => decodeVector(id).places.reduce((a, b) => a + b, 0);
    return sum(item.heartbeat) > sum(from);
  }

  it('hold commands back while the stop switch is off, and go on with invalidations', async () => {
    const from = encodeVector({ epoch: 0, places: (await store.heads()).sent });
    await publish('held-back');
    await world.setActions(false);
    const shared = streams({ heartbeatMs: 20 });
    const commands = new Client(shared, { from });
    const invalidations = new Client(shared, { kind: 'invalidations', from });
    await invalidations.got(1);
    await waitUntil('the commands had two signs of life', () => commands.items.length >= 2);
    expect(commands.events).toEqual([]);
    await world.setActions(true);
    await commands.got(1);
    for (const client of [commands, invalidations]) await client.leave();
  });

  it('say reset for an id ahead of the log, of another epoch, or below what is kept', async () => {
    const { sent } = await store.heads();
    const cases: readonly [string, string][] = [
      [encodeVector({ epoch: 0, places: sent.map((p) => p + 1) }), 'ahead_of_log'],
      [encodeVector({ epoch: 0, places: sent.slice(1) }), 'ahead_of_log'],
      [encodeVector({ epoch: 7, places: sent }), 'restored'],
    ];
    for (const [from, reason] of cases) {
      const client = new Client(streams(), { from });
      await client.got(1);
      await client.leave();
      expect(client.events).toEqual([
        { id: encodeVector({ epoch: 0, places: sent }), event: 'reset', data: `{"reason":"${reason}"}` },
      ]);
    }
    const old = encodeVector({ epoch: 0, places: sent.map(() => 0) });
    await world.database.query(`DELETE FROM jobwarden.outbound WHERE place <= 2`);
    const client = new Client(streams(), { from: old });
    await client.got((await sentIds()).length + 1);
    await client.leave();
    expect(client.events[0]?.data).toBe('{"reason":"below_retention"}');
    expect(client.messages.slice(1).sort()).toEqual((await sentIds()).sort());
    const fresh = new Client(streams(), { from: client.events.at(-1)?.id ?? '' });
    await publish('after-reset');
    await fresh.got(1);
    await fresh.leave();
    expect(fresh.events.map((e) => e.event)).not.toContain('reset');
  });

  it('refuse an id that is none', async () => {
    const client = streams().subscribe({ ...COMMANDS, from: 'garbage' }, new AbortController().signal);
    await expect(client.next()).rejects.toMatchObject({ code: 'stream_id_invalid' });
  });
});
