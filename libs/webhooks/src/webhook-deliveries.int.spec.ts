import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import {
  JobChange,
  LANE_INSIDE,
  namedWebhooks,
  ShardPublisher,
  WakeSignal,
  WebhookDeliveries,
  type WebhookDeliveriesOptions,
  type WebhookEndpoint,
} from '#libs/application';
import { jobKeyHex } from '#libs/contracts';
import type { DecisionDraft } from '#libs/domain';
import { PgDeliveryStore, PgOutboundStore, PgPublisherLeases, PgPublishingReport } from '#libs/postgres';
import { fixedPolicies, useTestDatabase, waitUntil, World } from '#libs/testing';
import { HttpWebhookSender } from './http-webhook-sender.js';
import { Receiver, type Answer } from './receiver.fixture.js';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const AT_ONCE = { initialMs: 0, factor: 1, maxMs: 0, jitter: 0, tries: 3 };
const requeued = (attempt: number): DecisionDraft => ({
  kind: 'requeued',
  attempt,
  token: attempt,
  reason: 'lost',
  by: 'jobwarden',
});
const REPUBLISHED: DecisionDraft = { kind: 'republished', attempt: 2, token: 2, reason: 'start_by', by: 'jobwarden' };

describe('deliveries to webhooks', () => {
  const database = useTestDatabase();
  const replicaId = randomUUID();
  const open: Receiver[] = [];
  let world: World;
  let webhooks: readonly WebhookEndpoint[] = [];

  beforeAll(() => {
    world = new World(database.url, fixedPolicies());
  });
  afterEach(async () => {
    await world.database.query('DELETE FROM jobwarden.deliveries');
    for (const receiver of open.splice(0)) await receiver.stop();
  });
  afterAll(() => world.close());

  async function receiver(answer?: Answer): Promise<Receiver> {
    const started = await Receiver.start(answer);
    open.push(started);
    return started;
  }

  const endpoint = (
    target: Receiver,
    only: Partial<Pick<WebhookEndpoint, 'events' | 'queues'>> = {},
  ): WebhookEndpoint =>
    namedWebhooks([
      { target: { format: 'standard', url: target.url, events: ['commands'], queues: null, ...only }, secret: { reveal: () => SECRET } },
    ])[0]!;

  async function decide(id: string, ...drafts: readonly DecisionDraft[]): Promise<void> {
    const ref = { namespace: 'default', queue: 'q', id };
    const keyHex = jobKeyHex(ref);
    await world.log.transact(
      {
        jobs: [{ ref, keyHex, eventKeys: [] }],
        lane: LANE_INSIDE,
        locked: 'wait',
        missing: 'insert',
        lockLeases: true,
      },
      (batch) => {
        const change = new JobChange(batch.jobs.get(keyHex)!, batch, world.policies);
        for (const draft of drafts) change.decide(draft);
        return { writes: [change.finish()], result: () => undefined };
      },
    );
  }

  async function publish(): Promise<void> {
    const [store, leases] = [new PgOutboundStore(world.database), new PgPublisherLeases(world.database)];
    const shards = new ShardPublisher({ store, webhooks: { list: () => webhooks }, observer: {} });
    for (const lease of await leases.hold(replicaId, 60_000)) await shards.drain(lease, () => true);
  }

  function deliveries(options: WebhookDeliveriesOptions = {}, observer = {}, store = new PgDeliveryStore(world.database)): WebhookDeliveries {
    const parts = { store, sender: new HttpWebhookSender({ timeoutMs: 2_000 }) };
    return new WebhookDeliveries(
      { ...parts, webhooks: { list: () => webhooks }, observer, published: new WakeSignal() },
      { retries: AT_ONCE, idleMs: 20, ...options },
    );
  }

  const waiting = async (): Promise<number> =>
    (await world.database.query<{ count: number }>('SELECT count(*) FROM jobwarden.deliveries'))[0]?.count ?? 0;

  it('reach each webhook that wants them, in the order of the job, signed, with stable ids', async () => {
    const [all, other, incidents] = [await receiver(), await receiver(), await receiver()];
    webhooks = [
      endpoint(all),
      endpoint(other, { queues: ['elsewhere'] }),
      endpoint(incidents, { events: ['incidents'] }),
    ];
    await decide('order', requeued(2), REPUBLISHED, REPUBLISHED);
    await publish();
    const worker = deliveries();
    worker.start();
    await waitUntil('all are acknowledged', async () => (await waiting()) === 0);
    await worker.stop();
    const messages = all.received.map(
      (r) => new Webhook(SECRET).verify(r.body, r.headers) as { id: string; data: { n: number } },
    );
    expect(messages.map((m) => m.data.n)).toEqual([1, 2, 3]);
    expect(all.ids).toEqual(messages.map((m) => m.id));
    expect(other.received.length + incidents.received.length).toBe(0);
  });

  it('are not sent by a replica that was halted with them until it has looked whether they are still true', async () => {
    const target = await receiver();
    webhooks = [endpoint(target)];
    await decide('halted', requeued(2));
    await publish();
    let nowMs = 0;
    const store = new PgDeliveryStore(world.database);
    const claim: typeof store.claim = async (...of) => {
      const claimed = await store.claim(...of);
      nowMs += 60_000;
      return claimed;
    };
    const halted = deliveries({ monotonicMs: () => nowMs }, {}, Object.assign(Object.create(store) as PgDeliveryStore, { claim }));
    expect(await halted.round(webhooks[0]!)).toBe(1);
    expect([target.received.length, await waiting()]).toEqual([0, 1]);
    expect(await deliveries().round(webhooks[0]!)).toBe(1);
    expect([target.received.length, await waiting()]).toEqual([1, 0]);
  });

  it('are tried again with the same id, and nothing of their job overtakes them', async () => {
    const target = await receiver((_, response, nth) => response.writeHead(nth <= 2 ? 503 : 200).end());
    webhooks = [endpoint(target)];
    await decide('flaky', requeued(2), REPUBLISHED);
    await publish();
    const refused: unknown[] = [];
    const report = new PgPublishingReport(world.database);
    const worker = deliveries({}, { refused: (...told: unknown[]) => void refused.push(told) });
    expect(await worker.round(webhooks[0]!)).toBe(1);
    expect(refused).toEqual([[webhooks[0]?.name, 'answered 503', { inMs: 0, tries: 1 }]]);
    expect(await report.retryingCount()).toBe(1);
    worker.start();
    await waitUntil('all are acknowledged', async () => (await waiting()) === 0);
    await worker.stop();
    expect(await report.retryingCount()).toBe(0);
    const [first, second] = [target.ids[0], target.ids.at(-1)];
    expect(target.ids).toEqual([first, first, first, second]);
    expect(first).not.toBe(second);
  });

  it('are parked after the last try with the reason, which holds up only their job on that webhook, until a retry', async () => {
    const bad = await receiver((got, response) =>
      response.writeHead(got.body.includes('"subject":"cursed"') ? 500 : 200).end(),
    );
    const good = await receiver();
    webhooks = [endpoint(bad), endpoint(good)];
    await decide('cursed', requeued(2), REPUBLISHED);
    await decide('blessed', requeued(2));
    await publish();
    const worker = deliveries();
    worker.start();
    const report = new PgPublishingReport(world.database);
    await waitUntil('it is parked', async () => (await report.parkedCount()) === 2);
    await waitUntil('all else is delivered', async () => (await waiting()) === 2);
    await decide('cursed', REPUBLISHED);
    await publish();
    await waitUntil('the good webhook has got everything', () => good.received.length === 4);
    expect(await report.parkedCount()).toBe(3);
    const { items } = await report.parked({ namespace: 'default' }, { limit: 10, after: null });
    expect(items).toMatchObject([
      { target: webhooks[0]?.name, tries: 3, detail: 'answered 500', behind: 2, ref: { id: 'cursed' } },
    ]);
    expect(bad.received.filter((r) => r.body.includes('cursed')).length).toBe(3);
    bad.answers((_, response) => response.writeHead(200).end());
    expect(await report.retry(items[0]?.id ?? '', 'default')).toBe(true);
    await waitUntil('all are acknowledged', async () => (await waiting()) === 0);
    await worker.stop();
    expect(bad.received.slice(-3).map((r) => (JSON.parse(r.body) as { data: { n: number } }).data.n)).toEqual([
      1, 2, 3,
    ]);
  });

  it('are dropped where they are no longer true, and told', async () => {
    const target = await receiver();
    webhooks = [endpoint(target)];
    await decide('stale', requeued(2));
    await publish();
    await world.send({ type: 'started', job: 'stale', attempt: 2, worker: { id: 'w2' } });
    const skipped: string[] = [];
    const worker = deliveries({}, { skipped: (kind: string, why: string) => skipped.push(`${kind}: ${why}`) });
    expect(await worker.round(webhooks[0]!)).toBe(1);
    expect([target.received, await waiting(), skipped]).toEqual([[], 0, ['enqueue: the job is processing']]);
  });

  it('wait while the stop switch is off', async () => {
    const target = await receiver();
    webhooks = [endpoint(target)];
    await decide('switched', requeued(2));
    await publish();
    await world.database.query('UPDATE jobwarden.installation SET actions_enabled = false');
    expect(await deliveries().round(webhooks[0]!)).toBe(0);
    await world.database.query('UPDATE jobwarden.installation SET actions_enabled = true');
    expect(await deliveries().round(webhooks[0]!)).toBe(1);
    expect(target.received.length).toBe(1);
  });

  it('go once each through any number of replicas, and go on when one has died with a claim', async () => {
    const target = await receiver();
    webhooks = [endpoint(target)];
    for (let i = 0; i < 30; i += 1) await decide(`many-${String(i)}`, requeued(2));
    await publish();
    const dead = await new PgDeliveryStore(world.database).claim(webhooks[0]!.name, 4, 300);
    expect(dead.length).toBe(4);
    const replicas = [deliveries({ concurrency: 3 }), deliveries({ concurrency: 3 }), deliveries({ concurrency: 3 })];
    for (const replica of replicas) replica.start();
    await waitUntil('all are acknowledged', async () => (await waiting()) === 0);
    for (const replica of replicas) await replica.stop();
    expect(target.ids.length).toBe(30);
    expect(new Set(target.ids).size).toBe(30);
    expect(await new PgDeliveryStore(world.database).finish(dead[0]!)).toBe(false);
  });

  it('are claimed by one of many who ask at once', async () => {
    const target = await receiver();
    webhooks = [endpoint(target)];
    for (let i = 0; i < 40; i += 1) await decide(`raced-${String(i)}`, requeued(2));
    await publish();
    const store = new PgDeliveryStore(world.database);
    const claims = (await Promise.all(Array.from({ length: 8 }, () => store.claim(target.url, 10, 60_000)))).flat();
    const numbers = claims.map((c) => `${String(c.shard)}/${String(c.number)}`);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(claims.every((c) => c.tries === 1)).toBe(true);
  });

  it('give a request in flight up when the process stops, without counting it as a try', async () => {
    const target = await receiver(() => undefined);
    webhooks = [endpoint(target)];
    await decide('in-flight', requeued(2));
    await publish();
    const worker = deliveries();
    worker.start();
    await waitUntil('it is in flight', () => target.received.length === 1);
    await worker.stop();
    const rows = await world.database.query('SELECT tries, outcome, claim FROM jobwarden.deliveries');
    expect(rows).toEqual([{ tries: 0, outcome: 'waiting', claim: null }]);
  });
});
