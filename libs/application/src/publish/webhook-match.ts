import { pageOf, type IncidentStepDraft } from '#libs/domain';
import { STREAM_OF } from '../ports/stream-store.port.js';
import type { MessageKind } from '../ports/outbound-store.port.js';
import type { WebhookEndpoint } from '../ports/webhooks.port.js';

/**
 * Names of the webhooks that want this message. Invalidations are for caches, which read a stream. What is of no queue
 * (null) goes to those that are not bound to queues. A pager is told of an incident's first and last
 * step, of each escalation and of the person who has taken it on, a chat of all of these but the person.
 */
export function webhooksFor(
  list: readonly WebhookEndpoint[],
  kind: MessageKind,
  queues: readonly string[] | null,
  step?: IncidentStepDraft,
): string[] {
  const stream = STREAM_OF[kind];
  if (stream === 'invalidations') return [];
  const page = step === undefined ? null : pageOf(step);
  const wanting = list.filter(({ format }) => format === 'standard' || (page !== null && (page !== 'taken' || format === 'pagerduty')));
  return wanting.filter((w) => w.events.includes(stream) && (w.queues === null || queues?.some((queue) => w.queues?.includes(queue)) === true)).map((w) => w.name);
}

export interface WebhookEntry {
  readonly target: Pick<WebhookEndpoint, 'format' | 'url' | 'events' | 'queues'>;
  readonly secret: WebhookEndpoint['secret'];
}

/** The policy file's webhooks with a name each: the address, or where that is secret the format; and a number where one is listed again. */
export function namedWebhooks(entries: readonly WebhookEntry[]): WebhookEndpoint[] {
  const times = new Map<string, number>();
  return entries.map(({ target, secret }) => {
    const shown = target.url ?? target.format;
    const nth = (times.get(shown) ?? 0) + 1;
    times.set(shown, nth);
    const { format, url, events, queues } = target;
    return { name: nth === 1 ? shown : `${shown} (${String(nth)})`, format, url, secret, events, queues };
  });
}
