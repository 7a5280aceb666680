import { messageKey, type OutboundMessage, type OutboundTransaction } from '../ports/outbound-store.port.js';
import type { DecodedEntry } from './decoded-entry.js';
import { invalidationMessage } from './invalidation-message.js';

export interface InvalidationRules {
  /** `parked`: only those that wait for an operator, of entries whose command may be what is tried again. */
  readonly which: 'all' | 'parked';
  /** Why a further sink would never take it; null: all would. */
  readonly faultOf: (message: OutboundMessage) => string | null;
}

type Transact = <T>(work: (tx: OutboundTransaction) => Promise<T>) => Promise<T>;

/**
 * The first step of a batch: writes the invalidations and answers them, null while the stop switch is off. One that
 * cannot be delivered is parked, and the commands of its job wait behind it. Later invalidations of the job do not: which
 * of two comes first changes nothing for a cache, and one held back leaves a stale entry where it is.
 */
export async function decideInvalidations(
  entries: readonly DecodedEntry[],
  { which, faultOf }: InvalidationRules,
  transact: Transact,
): Promise<readonly OutboundMessage[] | null> {
  const made = entries.flatMap((entry) => invalidationMessage(entry) ?? []);
  if (made.length === 0) return [];
  return await transact(async (tx) => {
    if (!tx.actionsEnabled) return null;
    const wanted = which === 'all' ? made : await parkedOf(tx, made);
    const messages = wanted.map((message) => judged(message, faultOf(message)));
    await tx.write(messages);
    return messages;
  });
}

async function parkedOf(tx: OutboundTransaction, made: readonly OutboundMessage[]): Promise<OutboundMessage[]> {
  const outcomes = await tx.outcomes(made.map((m) => m.position.number));
  return made.filter((m) => outcomes.get(messageKey(m.position.number, m.kind)) === 'parked');
}

function judged(message: OutboundMessage, detail: string | null): OutboundMessage {
  return detail === null ? message : { ...message, outcome: 'parked', detail };
}
