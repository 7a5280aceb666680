/** What stands at the target of a signal, or at its queue where it has none. */
export interface SignalCircumstances {
  /** The incident that is open there; null: none is. */
  readonly openIncidentId: string | null;
  /** When it was last rolled back or isolated there; null: never. */
  readonly lastActedMs: number | null;
  /** `rollback.coolDown` of the queue. */
  readonly coolDownMs: number;
}

export type SignalPlacement =
  | { readonly kind: 'opens' }
  | { readonly kind: 'joins'; readonly incidentId: string }
  /** Nothing is opened until then: what was just acted on gets the time to recover. */
  | { readonly kind: 'suppressed'; readonly why: 'cool_down'; readonly untilMs: number };

/** An open incident takes every further signal; after it, the cool-down keeps a second rollback away. */
export function placeSignal({ openIncidentId, lastActedMs, coolDownMs }: SignalCircumstances, nowMs: number): SignalPlacement {
  if (openIncidentId !== null) return { kind: 'joins', incidentId: openIncidentId };
  if (lastActedMs === null || nowMs >= lastActedMs + coolDownMs) return { kind: 'opens' };
  return { kind: 'suppressed', why: 'cool_down', untilMs: lastActedMs + coolDownMs };
}
