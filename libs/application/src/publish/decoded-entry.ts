import { GRANTED_BY_CLAIM, stateFromJson, type Decision, type JobEvent, type JobState } from '#libs/domain';
import { decodeEvent } from '../log/event-record.js';
import type { MessageKind, OutboundMessage, OutgoingEntry } from '../ports/outbound-store.port.js';

/** A log entry that something goes out for, read. */
export interface DecodedEntry {
  readonly entry: OutgoingEntry;
  readonly event: JobEvent;
  /** Of the row when the entry was read; the commands' step reads it again, under a lock. */
  readonly state: JobState;
}

/** Throws TerminalError `newer_log`: the shard then waits for a program that can read the entry. */
export function decoded(entry: OutgoingEntry): DecodedEntry {
  return { entry, event: decodeEvent(entry), state: stateFromJson(entry.state) };
}

/** What one entry wants to say after its invalidation. */
export interface Intent {
  readonly entry: OutgoingEntry;
  readonly kind: Exclude<MessageKind, 'invalidation' | 'incident'>;
  readonly decision: Decision;
}

export function intentOf({ entry, event }: DecodedEntry): Intent | null {
  if (event.kind !== 'decision') return null;
  const { decision } = event;
  const kind = saidBy(decision);
  return kind === null ? null : { entry, kind, decision };
}

/** What goes out for a decision, besides its invalidation; null: nothing. */
export function saidBy({ kind, reason }: Pick<Decision, 'kind' | 'reason'>): Intent['kind'] | null {
  switch (kind) {
    case 'requeued':
      // Its worker has the claim's answer.
      return reason === GRANTED_BY_CLAIM ? null : 'enqueue';
    case 'republished':
      return 'enqueue';
    case 'stop-requested':
      return 'stop';
    case 'dead-lettered':
      return 'dead-letter';
    default:
      return null;
  }
}

export function outboundMessage(
  entry: OutgoingEntry,
  kind: MessageKind,
  made: Pick<OutboundMessage, 'outcome' | 'detail' | 'message' | 'webhooks' | 'deliverTo'>,
): OutboundMessage {
  const { position, keyHex, queueId, laneMs, ref } = entry;
  const orderKey = `${ref.namespace}/${ref.queue}/${ref.id}`;
  return { position, kind, keyHex, queueId, orderKey, laneMs, ...made };
}
