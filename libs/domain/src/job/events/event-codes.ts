import type { DecisionKind } from './decisions.js';
import type { FactType } from './facts.js';

/** The log's two-byte type codes: facts below 100, decisions from 100. Never renumbered: the log keeps them for ever. */
const FACT_CODES: Record<FactType, number> = {
  queued: 1,
  claimed: 2,
  started: 3,
  released: 4,
  'lease-renewal-failed': 5,
  succeeded: 6,
  failed: 7,
  cancelled: 8,
};
const DECISION_CODES: Record<DecisionKind, number> = {
  'retry-scheduled': 100,
  'held-incomplete': 101,
  'restart-requested': 102,
  'restart-withdrawn': 103,
  requeued: 104,
  'dead-lettered': 105,
  cancelled: 106,
  discarded: 107,
  'resolved-by-hand': 108,
  redriven: 109,
  republished: 110,
  'stop-requested': 111,
  patched: 112,
  'limits-changed': 113,
  'payload-erased': 114,
  'write-refused': 115,
  'invalidation-requested': 116,
};

export type EventType =
  | { readonly kind: 'fact'; readonly type: FactType }
  | { readonly kind: 'decision'; readonly type: DecisionKind };

const BY_CODE = new Map<number, EventType>([
  ...(Object.entries(FACT_CODES) as [FactType, number][]).map(
    ([type, code]): [number, EventType] => [code, { kind: 'fact', type }],
  ),
  ...(Object.entries(DECISION_CODES) as [DecisionKind, number][]).map(
    ([type, code]): [number, EventType] => [code, { kind: 'decision', type }],
  ),
]);

export function factCode(type: FactType): number {
  return FACT_CODES[type];
}

export function decisionCode(kind: DecisionKind): number {
  return DECISION_CODES[kind];
}

/** undefined: written by a newer program. */
export function eventTypeOf(code: number): EventType | undefined {
  return BY_CODE.get(code);
}
