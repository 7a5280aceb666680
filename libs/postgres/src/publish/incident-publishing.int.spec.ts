import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  encodeVector,
  Incidents,
  Streams,
  WakeSignal,
  type MessageSink,
  type StreamItem,
  type WebhookEndpoint,
} from '#libs/application';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { PgIncidentStore } from '../incidents/pg-incident-store.js';
import { QueueIds } from '../log/queue-ids.js';
import { PgDeliveryStore } from './pg-delivery-store.js';
import { PgPublishingReport } from './pg-publishing-report.js';
import { PgStreamStore } from './pg-stream-store.js';
import { Killed, PublishingWorld, Replica, type ReplicaOptions } from './publishing.fixture.js';

const KIND = 'lane_out_of_range';
const PAGER: WebhookEndpoint = {
  name: 'pager',
  format: 'standard',
  url: 'https://pager/',
  secret: { reveal: () => '' },
  events: ['commands', 'incidents'],
  queues: null,
};

interface Message {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly namespace?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe('publishing incidents', () => {
  const database = useTestDatabase();
  let world: PublishingWorld;
  let incidents: Incidents;

  beforeAll(() => {
    world = new PublishingWorld(database.url);
    incidents = new Incidents(new PgIncidentStore(world.database, new QueueIds(world.database)));
  });
  afterEach(() => world.setActions(true));
  afterAll(() => world.close());

  /** As the next replica, after whoever published before. */
  async function publish(options: ReplicaOptions = {}): Promise<void> {
    await world.endLeases();
    await new Replica(world, options).publish();
  }

  /** Messages of what these are about, in the order of their places. */
  async function sent(subject: string): Promise<readonly (Message & { readonly place: number })[]> {
    const rows = await world.database.query<{ place: number; message: Message }>(
      `SELECT o.place, o.message::json AS message FROM jobwarden.outbound o
       WHERE o.kind = 'incident' AND o.message::json -> 'data' ->> 'subject' = $1 ORDER BY o.shard, o.place`,
      [subject],
    );
    return rows.map(({ place, message }) => ({ ...message, place }));
  }

  it('sends each step once, in order, as an event that tells what it is about', async () => {
    const { incident } = await incidents.open(KIND, 'lane-1', { reason: 'out of range', evidence: { wanted: 7 } });
    await incidents.note(KIND, 'lane-1', { reason: 'still' });
    await publish();
    await incidents.resolve(KIND, 'lane-1', { reason: 'seek', by: 'ada' });
    await publish();
    await publish();
    const messages = await sent('lane-1');
    expect(messages.map((m) => m.type)).toEqual([
      'jobwarden.incident.opened.v1',
      'jobwarden.incident.noted.v1',
      'jobwarden.incident.resolved.v1',
    ]);
    const told = { incidentId: incident.id, kind: KIND, subject: 'lane-1', summary: 'out of range' };
    expect(messages[0]).toMatchObject({ subject: incident.id, data: { ...told, n: 1, evidence: { wanted: 7 } } });
    expect(messages[2]).toMatchObject({ data: { ...told, n: 3, by: 'ada', reason: 'seek' } });
    expect(messages[0]).not.toHaveProperty('namespace');
    expect(new Set(messages.map((m) => m.id)).size).toBe(3);
  });

  it('repeats a batch after a kill under the same ids, and puts each into the table once', async () => {
    await incidents.open(KIND, 'killed', { reason: 'r' });
    await incidents.note(KIND, 'killed', { reason: 'more' });
    const got: string[][] = [];
    const sink: MessageSink = {
      name: 'test',
      send: (messages) => Promise.resolve(void got.push(messages.map((m) => (JSON.parse(m.message) as Message).id))),
    };
    const failpoint = (window: string): void => {
      if (window === 'publish/checkpoint') throw new Killed();
    };
    await expect(publish({ sinks: [sink], failpoint })).rejects.toBeInstanceOf(Killed);
    const first = await sent('killed');
    await publish({ sinks: [sink] });
    expect(await sent('killed')).toEqual(first);
    expect(got).toEqual([first.map((m) => m.id), first.map((m) => m.id)]);
  });

  it('tells streams and webhooks although a further sink is away, and the sink when it is back', async () => {
    await incidents.open(KIND, 'sink-away', { reason: 'r' });
    const away: MessageSink = {
      name: 'test',
      open: () => Promise.reject(new Killed()),
      send: () => Promise.resolve(),
    };
    await expect(publish({ sinks: [away] })).rejects.toBeInstanceOf(Killed);
    expect(await sent('sink-away')).toHaveLength(1);
    const got: string[] = [];
    const back: MessageSink = {
      name: 'test',
      send: (messages) => Promise.resolve(void got.push(...messages.map((m) => m.orderKey))),
    };
    await publish({ sinks: [back] });
    expect(got).toEqual([`incident/${(await sent('sink-away'))[0]?.subject ?? ''}`]);
  });

  it('lets nobody publish who has lost the shard', async () => {
    await incidents.open(KIND, 'fenced', { reason: 'r' });
    const old = new Replica(world);
    await world.endLeases();
    await old.hold();
    const work = (await old.store.work(old.id)).filter((w) => w.incidents);
    await publish();
    for (const { lease } of work) {
      await expect(old.shards.incidents.drain(lease, () => true)).rejects.toMatchObject({ code: 'lease_lost' });
    }
    expect(work.length).toBeGreaterThan(0);
    expect(await sent('fenced')).toHaveLength(1);
  });

  it('is not silenced by the stop switch, which holds the commands of the same shards back', async () => {
    const jobs = Array.from({ length: 40 }, (_, i) => `held-${String(i)}`);
    for (const job of jobs) await world.requeued(job);
    await world.setActions(false);
    await incidents.open(KIND, 'while-off', { reason: 'r' });
    const replica = new Replica(world, { webhooks: [PAGER] });
    await world.endLeases();
    await replica.hold();
    expect((await replica.store.work(replica.id)).filter((w) => w.incidents)).toMatchObject([{ entries: true }]);
    await replica.publish();
    expect(await sent('while-off')).toHaveLength(1);
    expect(await world.outbound(jobs[0])).toEqual([]);
    const claimed = await new PgDeliveryStore(world.database).claim('pager', 100, 1);
    expect(claimed.map((d) => d.kind)).toEqual(['incident']);
    await world.setActions(true);
    await publish({ webhooks: [PAGER] });
    expect((await world.outbound(jobs[0])).map((r) => r.outcome)).toEqual(['sent']);
    expect(await sent('while-off')).toHaveLength(1);
    await world.database.query('DELETE FROM jobwarden.deliveries');
  });

  it('is not silenced by an entry that this program cannot read', async () => {
    await world.requeued('newer');
    await world.database.query(`UPDATE jobwarden.jobs SET fold_version = 99 WHERE job_id = 'newer'`);
    const subjects = Array.from({ length: 40 }, (_, i) => `beside-${String(i)}`);
    for (const subject of subjects) await incidents.open(KIND, subject, { reason: 'r' });
    const replica = new Replica(world);
    await world.endLeases();
    await replica.hold();
    const work = await replica.store.work(replica.id);
    const stuck = work.filter((w) => w.entries && w.incidents);
    expect(stuck).toHaveLength(1);
    for (const { lease } of work) await replica.shards.incidents.drain(lease, () => true);
    for (const { lease } of stuck) {
      await expect(replica.shards.drain(lease, () => true)).rejects.toMatchObject({ code: 'newer_rows' });
    }
    for (const subject of subjects) expect(await sent(subject), subject).toHaveLength(1);
    await world.database.query(`UPDATE jobwarden.jobs SET fold_version = 1 WHERE job_id = 'newer'`);
  });

  it('counts what has not gone out as lag', async () => {
    await publish();
    const oldest = async () =>
      Math.max(...(await new PgPublishingReport(world.database).lag()).map((shard) => shard.oldestMs));
    expect(await oldest()).toBe(0);
    await incidents.open(KIND, 'late', { reason: 'r' });
    await world.database.query('UPDATE jobwarden.incident_steps SET at_ms = at_ms - 5000');
    expect(await oldest()).toBeGreaterThanOrEqual(5_000);
    await publish();
    expect(await oldest()).toBe(0);
  });

  it('streams what is of the installation to whoever sees it, and what is of a queue by its namespace', async () => {
    const store = new PgStreamStore(world.database);
    const { sent: places, epoch } = await store.heads();
    const from = encodeVector({ epoch, places });
    const queue = { namespace: 'acme', queue: 'mail' };
    await incidents.open('blackout', queue, { reason: 'r' });
    await incidents.open('blackout', 'whole', { reason: 'r' });
    await world.setActions(false);
    await publish();
    const read = async (namespace: string, installation: boolean, ofQueue: string | null, count: number) => {
      const leave = new AbortController();
      const streams = new Streams(store, new WakeSignal(), {}, { busyMs: 5, idleMs: 20, heartbeatMs: 30 });
      const items: StreamItem[] = [];
      const wanted = { kind: 'incidents', namespace, queue: ofQueue, from, installation } as const;
      const reading = (async () => {
        for await (const item of streams.subscribe(wanted, leave.signal)) items.push(item);
      })();
      const events = () => items.flatMap((item) => ('event' in item ? [item] : []));
      await waitUntil('it has read as far as there is', () => events().length >= count && items.length > count + 1);
      leave.abort();
      await reading;
      return events().map((e) => [e.event, (JSON.parse(e.data) as Message).data['subject']]);
    };
    const type = 'jobwarden.incident.opened.v1';
    expect(await read('default', true, null, 1)).toEqual([[type, 'whole']]);
    expect(await read('default', false, null, 0)).toEqual([]);
    expect((await read('acme', true, null, 2)).map((e) => e[1]).sort()).toEqual(['mail', 'whole']);
    expect(await read('acme', false, 'mail', 1)).toEqual([[type, 'mail']]);
    expect(await read('default', true, 'mail', 0)).toEqual([]);
  });

  it('parks what a webhook does not take without silencing the next incident, and shows it', async () => {
    await incidents.open(KIND, 'parked', { reason: 'r' });
    await publish({ webhooks: [PAGER] });
    const deliveries = new PgDeliveryStore(world.database);
    const [first] = await deliveries.claim('pager', 10, 60_000);
    if (first === undefined) throw new Error('nothing to deliver');
    await deliveries.park(first, '500');
    await incidents.resolve(KIND, 'parked', { reason: 'r' });
    await incidents.open(KIND, 'parked', { reason: 'again' });
    await publish({ webhooks: [PAGER] });
    const claimed = await deliveries.claim('pager', 10, 60_000);
    expect(claimed.map((d) => (JSON.parse(d.message) as Message).data['reason'])).toEqual(['again']);
    const report = new PgPublishingReport(world.database);
    const page = { limit: 10, after: null };
    expect((await report.parked({ namespace: 'default' }, page)).items).toEqual([]);
    const { items } = await report.parked({ namespace: 'default', installation: true }, page);
    expect(items).toMatchObject([{ kind: 'incident', target: 'pager', behind: 1, ref: { namespace: null, queue: null } }]);
    expect(await report.retry(items[0]?.id ?? '', 'default')).toBe(false);
    expect(await report.retry(items[0]?.id ?? '', 'default', true)).toBe(true);
    expect((await deliveries.claim('pager', 10, 60_000)).map((d) => d.number)).toEqual([first.number]);
  });
});
