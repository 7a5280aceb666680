import { INVALIDATION_CAUSE, INVALIDATION_TYPE, type InvalidationCause, type InvalidationData } from '#libs/contracts';
import { viewOf, type Invalidates } from '#libs/domain';
import type { OutboundMessage } from '../ports/outbound-store.port.js';
import { cloudEvent } from './cloud-event.js';
import { outboundMessage, type DecodedEntry } from './decoded-entry.js';
import { envelopeTrace } from './job-trace.js';
import { messageId } from './message-id.js';

/**
 * What caches must no longer serve: at each requeue the keys of `queued`; at completion those and the keys of
 * `succeeded`; of a `queued` that comes after the completion its keys, which nobody could send before; where somebody
 * asked for it all of the job's, which the decision holds as far as the row does not. null where there are none.
 */
export function invalidationMessage(decoded: DecodedEntry): OutboundMessage | null {
  const { event, state } = decoded;
  const ofQueued = state.queued?.invalidates;
  if (event.kind === 'decision') {
    const { kind, attempt, evidence } = event.decision;
    if (kind === 'invalidation-requested') {
      return message(decoded, INVALIDATION_CAUSE.requested, attempt, [ofQueued, evidence as Invalidates | undefined]);
    }
    return kind === 'requeued' ? message(decoded, INVALIDATION_CAUSE.requeue, attempt, [ofQueued]) : null;
  }
  if (event.fact.type === 'queued') {
    const { status, attempt } = viewOf(state);
    const late = status === 'succeeded';
    return late ? message(decoded, INVALIDATION_CAUSE.completed, attempt, [event.fact.invalidates]) : null;
  }
  if (event.fact.type !== 'succeeded') return null;
  const { attempt, invalidates } = event.fact;
  return message(decoded, INVALIDATION_CAUSE.completed, attempt, [ofQueued, invalidates]);
}

function message(
  { entry, state }: DecodedEntry,
  cause: InvalidationCause,
  attempt: number,
  parts: readonly (Invalidates | undefined)[],
): OutboundMessage | null {
  const keys = union(parts.map((p) => p?.keys));
  const tags = union(parts.map((p) => p?.tags));
  if (keys.length + tags.length === 0) return null;
  const { position, ref, laneMs } = entry;
  const data: InvalidationData = { keys, tags, cause, queue: ref.queue, jobId: ref.id, attempt, position };
  const head = { id: messageId('invalidation', entry), type: INVALIDATION_TYPE, ref, laneMs };
  const text = cloudEvent({ ...head, ...envelopeTrace(state) }, data);
  return outboundMessage(entry, 'invalidation', { outcome: 'sent', detail: null, message: text, webhooks: [] });
}

function union(lists: readonly (readonly string[] | undefined)[]): string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))];
}
