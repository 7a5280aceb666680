import type { MessageKind, OutboundMessage } from '../ports/outbound-store.port.js';

/**
 * CloudEvents `id` of what goes out, and `webhook-id`: the same at every try and after every crash, since it only names
 * the log entry. The entry's lane time is part of it because a restored database gives numbers out a second time.
 */
export function messageId(
  kind: MessageKind,
  { position, laneMs }: Pick<OutboundMessage, 'position' | 'laneMs'>,
): string {
  return `${kind}-${String(position.shard)}-${String(position.number)}-${laneMs.toString(36)}`;
}
