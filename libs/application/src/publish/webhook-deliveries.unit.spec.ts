import { expect, it } from 'vitest';
import type { ClaimedDelivery, DeliveryStore, WebhookEndpoint } from '../ports/webhooks.port.js';
import { WakeSignal } from './wake-signal.js';
import { WebhookDeliveries } from './webhook-deliveries.js';

const webhook: WebhookEndpoint = { name: 'w', format: 'pagerduty', url: 'https://pager', secret: { reveal: () => '' }, events: ['incidents'], queues: null };
const claimed = (kind: ClaimedDelivery['kind']): ClaimedDelivery => ({
  ...{ webhook: 'w', shard: 0, number: 1, kind, keyHex: '00', tries: 1, claim: 'c', laneMs: 0 },
  ...{ message: '{"data":{"attempt":2}}', job: { status: 'requeued', attempt: 2 } },
});

/** What becomes of a delivery whose claim took so long to be answered. */
async function after(tookMs: number, kind: ClaimedDelivery['kind']): Promise<readonly string[]> {
  const did: string[] = [];
  let nowMs = 0;
  const store: DeliveryStore = {
    claim: () => {
      nowMs += tookMs;
      return Promise.resolve([claimed(kind)]);
    },
    finish: () => Promise.resolve(did.push('finished') > 0),
    postpone: () => Promise.resolve(void did.push('given back')),
    park: () => Promise.resolve(void did.push('parked')),
  };
  const sender = { send: () => Promise.resolve({ ok: did.push('sent') > 0 } as const) };
  const parts = { store, sender: sender as never, webhooks: { list: () => [webhook] }, observer: {}, published: new WakeSignal() };
  await new WebhookDeliveries(parts, { monotonicMs: () => nowMs, claimMs: 30_000 }).round(webhook);
  return did;
}

it.each([
  [1_000, 'enqueue', ['sent', 'finished']],
  [6_000, 'enqueue', ['given back']],
  [6_000, 'incident', ['sent', 'finished']],
  [20_000, 'incident', ['given back']],
] as const)('a claim that was answered after %i ms, of a message of kind %s: %j', async (tookMs, kind, did) => {
  expect(await after(tookMs, kind)).toEqual(did);
});
