import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Incidents,
  namedWebhooks,
  ShardPublisher,
  WakeSignal,
  WebhookDeliveries,
  type WebhookDeliveriesOptions,
  type WebhookEndpoint,
} from '#libs/application';
import { parsePolicy, readWebhookSecrets } from '#libs/config';
import type { IncidentStepType } from '#libs/domain';
import { PgDeliveryStore, PgIncidentStore, PgOutboundStore, PgPublisherLeases, PgPublishingReport, QueueIds } from '#libs/postgres';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { HttpWebhookSender } from '../http-webhook-sender.js';
import { Receiver } from '../receiver.fixture.js';
import { PAGERDUTY_EVENT, PAGERDUTY_LARGEST } from './pagerduty.schema.fixture.js';

const KEY = '0123456789abcdef0123456789ABCDEF';
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const isPagerdutyEvent = ajv.compile(PAGERDUTY_EVENT);

interface Event {
  readonly routing_key: string;
  readonly event_action: string;
  readonly dedup_key: string;
  readonly payload?: { readonly summary: string; readonly severity: string; readonly custom_details: Readonly<Record<string, string>> };
}

/** What PagerDuty makes of events: a key wakes somebody once, until it is resolved. */
class Pages {
  readonly open = new Set<string>();
  woken = 0;

  take({ event_action, dedup_key }: Event): void {
    if (event_action === 'trigger' && !this.open.has(dedup_key)) {
      this.woken += 1;
      this.open.add(dedup_key);
    }
    if (event_action === 'resolve') this.open.delete(dedup_key);
  }
}

describe('paging', () => {
  const database = useTestDatabase();
  let world: World;
  let incidents: Incidents;
  let pagerduty: Receiver;
  let slack: Receiver;
  let webhooks: readonly WebhookEndpoint[];

  beforeAll(async () => {
    world = new World(database.url, fixedPolicies());
    incidents = new Incidents(new PgIncidentStore(world.database, new QueueIds(world.database)));
    // PagerDuty answers 400 to what it does not understand, so this one does.
    pagerduty = await Receiver.start(({ body }, response) => response.writeHead(isPagerdutyEvent(JSON.parse(body)) ? 202 : 400).end());
    slack = await Receiver.start((_, response) => response.writeHead(200).end('ok'));
    // The example of the documents, with nothing changed but where PagerDuty is.
    const text = readFileSync(new URL('../../../../examples/paging.yaml', import.meta.url), 'utf8');
    const parsed = parsePolicy(text.replace('format: pagerduty', `format: pagerduty\n    url: ${pagerduty.url}`), 'paging.yaml');
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
    const { ready } = await readWebhookSecrets(parsed.value, { PAGERDUTY_KEY: KEY, SLACK_ADDRESS: `${slack.url}/T0/B0/hunter2` });
    webhooks = namedWebhooks(ready);
  });
  afterAll(async () => {
    await pagerduty.stop();
    await slack.stop();
    await world.close();
  });

  const told: unknown[] = [];
  const replicaId = randomUUID();

  async function deliver(options: WebhookDeliveriesOptions = {}): Promise<void> {
    const store = new PgOutboundStore(world.database);
    const shards = new ShardPublisher({ store, webhooks: { list: () => webhooks }, observer: {} }).incidents;
    for (const lease of await new PgPublisherLeases(world.database).hold(replicaId, 60_000)) await shards.drain(lease, () => true);
    const deliveries = new WebhookDeliveries(
      {
        store: new PgDeliveryStore(world.database),
        sender: new HttpWebhookSender({ timeoutMs: 2_000 }),
        webhooks: { list: () => webhooks },
        observer: { refused: (...all: unknown[]) => void told.push(all), parked: (...all: unknown[]) => void told.push(all) },
        published: new WakeSignal(),
      },
      { retries: { initialMs: 0, factor: 1, maxMs: 0, jitter: 0, tries: 3 }, idleMs: 20, ...options },
    );
    for (const webhook of webhooks) while ((await deliveries.round(webhook)) > 0);
    await deliveries.stop();
  }

  const events = (): Event[] => pagerduty.received.map(({ body }) => JSON.parse(body) as Event);

  it('is one page for an incident of two hundred queues with many steps, and one all-clear, at PagerDuty and in Slack', async () => {
    const about = { namespace: 'default', queue: 'emails', subject: 'main' };
    const reason = 'emails and 199 more: 61 % of 4,804 ended badly <!channel> <https://evil.example|here>';
    const { incident } = await incidents.open('saturation', about, { reason, evidence: { queues: 200, ratio: 0.61, worst: { queue: 'q<1>' } } });
    for (let queue = 2; queue <= 12; queue += 1) await incidents.note('saturation', about, { reason: `queue ${String(queue)} of 200 as well` });
    await deliver();
    // Opened again, by a hundred and ninety more queues: notes, and no page.
    for (let queue = 13; queue <= 203; queue += 1) await incidents.open('saturation', about, { reason: `queue ${String(queue)} as well` });
    await deliver();
    expect(events().map((event) => event.event_action)).toEqual(['trigger']);
    await incidents.resolve('saturation', about, { reason: 'all work again', by: 'jobwarden' });
    await deliver();
    expect(events().map((event) => event.event_action)).toEqual(['trigger', 'resolve', 'resolve']);
    const [page, over] = events();
    expect(page).toMatchObject({
      routing_key: KEY,
      payload: { severity: 'critical', custom_details: { incident: `/v1/incidents/${incident.id}`, queues: '200', ratio: '0.61', worst: '{"queue":"q<1>"}' } },
    });
    expect(over?.dedup_key).toBe(page?.dedup_key);
    expect(pagerduty.received.every(({ body, headers }) => body.length < PAGERDUTY_LARGEST && headers['content-type']?.startsWith('application/json') === true)).toBe(true);
    expect(slack.received).toHaveLength(2);
    const [first, last] = slack.received.map(({ body }) => JSON.parse(body) as { text: string; blocks: readonly object[] });
    expect(first?.text).toContain('&lt;!channel&gt; &lt;https://evil.example|here&gt;');
    expect(first?.blocks).toMatchObject([{ type: 'header' }, { type: 'section' }, { type: 'section', fields: [{}, {}, {}] }, { type: 'context' }]);
    expect(last?.text).toMatch(/^Resolved \d+: saturation of default\/emails: all work again/u);
    expect(slack.received[0]?.path).toBe('/hook/T0/B0/hunter2');
  });

  it('wakes again with every escalation, once each, though the incident was acknowledged, and is over with it', async () => {
    const [before, said] = [pagerduty.received.length, slack.received.length];
    const sent = () => events().slice(before).map(({ event_action, dedup_key }) => `${event_action} ${dedup_key.replace(/^jobwarden\/\d+\/[^/]+/u, 'incident')}`);
    const { incident } = await incidents.open('saturation', { namespace: 'default', queue: 'letters' }, { reason: 'letters is saturated' });
    let n = 1;
    const step = async (type: IncidentStepType, reason: string, code?: string): Promise<void> => {
      expect(await incidents.advance(incident.id, n, { type, by: 'jobwarden', reason, ...(code !== undefined && { evidence: { code } }) })).not.toBe('stale');
      n += 1;
      await deliver();
    };
    await step('approved', 'go on');
    expect(sent()).toEqual(['trigger incident', 'acknowledge incident', 'resolve incident/escalated']);
    await step('escalated', 'the rollback did not come out', 'rollout_deadline');
    expect(sent().slice(3)).toEqual(['trigger incident/escalated']);
    expect(events().at(-1)?.payload).toMatchObject({ severity: 'critical', custom_details: { incident: `/v1/incidents/${incident.id}`, code: 'rollout_deadline' } });
    expect(events().at(-1)?.payload?.summary).toBe('escalated: saturation of default/letters: the rollback did not come out');
    // An approval ends the escalation there, so that the next one is news.
    await step('approved', 'once more');
    await step('escalated', 'nor did it now', 'rollout_deadline');
    await step('resolved', 'mended by hand');
    expect(sent().slice(4)).toEqual([
      ...['acknowledge incident', 'resolve incident/escalated', 'trigger incident/escalated'],
      ...['resolve incident', 'resolve incident/escalated'],
    ]);
    const texts = slack.received.slice(said).map(({ body }) => (JSON.parse(body) as { text: string }).text.replace(/\d+/u, 'N'));
    expect(texts).toEqual([
      'Incident N: saturation of default/letters: letters is saturated',
      'Escalated N: saturation of default/letters: the rollback did not come out',
      'Escalated N: saturation of default/letters: nor did it now',
      'Resolved N: saturation of default/letters: mended by hand (jobwarden)',
    ]);
  });

  it('of an escalation that is sent again makes no second page, and none is left open where the second half of an all-clear is refused', async () => {
    const before = pagerduty.received.length;
    const pages = new Pages();
    const { incident } = await incidents.open('saturation', { namespace: 'default', queue: 'parcels' }, { reason: 'parcels is saturated' });
    await incidents.advance(incident.id, 1, { type: 'escalated', by: 'jobwarden', reason: 'nobody knows why' });
    // Each answer is lost once: the receiver has taken what it is sent again.
    const taken = new Set<string>();
    pagerduty.answers(({ body }, response) => {
      response.writeHead(taken.has(body) ? 202 : 500).end();
      taken.add(body);
    });
    await deliver();
    await incidents.resolve('saturation', { namespace: 'default', queue: 'parcels' }, { reason: 'it has stopped' });
    await deliver();
    pagerduty.answers((_, response) => response.writeHead(202).end());
    for (const event of events().slice(before)) pages.take(event);
    expect(events().slice(before).map(({ event_action }) => event_action)).toEqual(['trigger', 'trigger', 'trigger', 'trigger', 'resolve', 'resolve', 'resolve', 'resolve', 'resolve']);
    expect([pages.woken, pages.open.size]).toEqual([2, 0]);
  });

  it('is tried again with the same key, and its secrets are in nothing that is told of a failure', async () => {
    const [before, refusals] = [pagerduty.received.length, told.length];
    pagerduty.answers((_, response) => response.writeHead(429).end(KEY));
    slack.answers((_, response) => response.writeHead(404).end('no_team'));
    await incidents.open('blackout', { namespace: 'default', queue: 'reports' }, { reason: 'nine of ten workers silent' });
    await deliver();
    const tries = events().slice(before);
    expect(tries.map((event) => event.event_action)).toEqual(['trigger', 'trigger', 'trigger']);
    expect(new Set(tries.map((event) => event.dedup_key)).size).toBe(1);
    const { items } = await new PgPublishingReport(world.database).parked({ namespace: 'default', installation: true }, { limit: 10, after: null });
    expect(items.map(({ target }) => target).toSorted()).toEqual([pagerduty.url, 'slack'].toSorted());
    expect(told.length).toBeGreaterThan(refusals + 4);
    expect(JSON.stringify([told, items])).not.toMatch(new RegExp(`${KEY}|hunter2`, 'u'));
  });
});
