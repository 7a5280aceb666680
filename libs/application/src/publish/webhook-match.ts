import { STREAM_OF } from '../ports/stream-store.port.js';
import type { MessageKind } from '../ports/outbound-store.port.js';
import type { WebhookEndpoint } from '../ports/webhooks.port.js';

/**
 * Names of the webhooks that want this message. Invalidations are for caches, which read a stream. What is of no queue
 * (null) goes to those that are not bound to queues.
 */
export function webhooksFor(list: readonly WebhookEndpoint[], kind: MessageKind, queues: readonly string[] | null): string[] {
  const stream = STREAM_OF[kind];
  if (stream === 'invalidations') return [];
  return list.filter((w) => w.events.includes(stream) && (w.queues === null || queues?.some((queue) => w.queues?.includes(queue)) === true)).map((w) => w.name);
}

export interface WebhookEntry {
  readonly target: Pick<WebhookEndpoint, 'url' | 'events' | 'queues'>;
  readonly secret: WebhookEndpoint['secret'];
}

/** The policy file's webhooks with a name each: the address, and a number where one address is listed again. */
export function namedWebhooks(entries: readonly WebhookEntry[]): WebhookEndpoint[] {
  const times = new Map<string, number>();
  return entries.map(({ target: { url, events, queues }, secret }) => {
    const nth = (times.get(url) ?? 0) + 1;
    times.set(url, nth);
    return { name: nth === 1 ? url : `${url} (${String(nth)})`, url, secret, events, queues };
  });
}
