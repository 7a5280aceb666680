import { eventKeyHex, jobKeyHex, type ParsedFact } from '#libs/contracts';
import type { ClaimState, JobRef } from '#libs/domain';
import type { JobAccess, Position } from '../ports/log-store.port.js';

/** A parsed fact on its way into the log, with its keys. */
export interface FactItem {
  readonly ref: JobRef;
  readonly keyHex: string;
  readonly eventKey: string;
  readonly parsed: ParsedFact;
  /** The broker's append time, ms; null: the lane time of the transaction. */
  readonly atMs: number | null;
}

export function factItem(parsed: ParsedFact, atMs: number | null = null): FactItem {
  return {
    ref: parsed.ref,
    keyHex: jobKeyHex(parsed.ref),
    eventKey: eventKeyHex(parsed.source, parsed.id),
    parsed,
    atMs,
  };
}

export type FactOutcome =
  /** `state`: of a start, what its worker should do. */
  | { readonly outcome: 'appended' | 'duplicate'; readonly position: Position | null; readonly state?: ClaimState }
  /** Kept as a decision, with its code for reason; a repeat is refused like the first. */
  | {
      readonly outcome: 'refused';
      readonly code: string;
      readonly detail: string;
      readonly position: Position | null;
      readonly state?: ClaimState;
    }
  | { readonly outcome: 'quarantined'; readonly code: 'id_reused' | 'too_old' | 'unstorable'; readonly detail: string };

/** One access per job, with the events it brings. */
export function accessesOf(items: readonly Pick<FactItem, 'ref' | 'keyHex' | 'eventKey'>[]): JobAccess[] {
  const byKey = new Map<string, { ref: JobRef; keyHex: string; eventKeys: string[] }>();
  for (const { ref, keyHex, eventKey: key } of items) {
    const found = byKey.get(keyHex);
    if (found === undefined) byKey.set(keyHex, { ref, keyHex, eventKeys: [key] });
    else found.eventKeys.push(key);
  }
  return [...byKey.values()];
}
