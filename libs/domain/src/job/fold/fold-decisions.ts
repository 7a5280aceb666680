import type { Decision, DecisionKind, LimitsChange } from '../events/decisions.js';

/**
 * Kinds that may repeat without bound for one attempt (a worker that comes and goes, a zombie that keeps writing).
 * Of each only the newest per attempt and reason can still matter, so the row keeps that one; the log keeps all.
 */
const THINNED: ReadonlySet<DecisionKind> = new Set([
  'held-incomplete',
  'restart-requested',
  'restart-withdrawn',
  'stop-requested',
  'write-refused',
  'limits-changed',
  'patched',
  'invalidation-requested',
]);

/** Merges a decision into the list sorted by n. A repeat of one n is nothing new. Evidence stays in the log. */
export function addDecision(decisions: Decision[], decision: Decision): void {
  if (THINNED.has(decision.kind)) {
    const rival = decisions.findIndex((d) => sameSlot(d, decision));
    const kept = decisions[rival];
    if (kept !== undefined) {
      if (kept.n >= decision.n) return;
      decisions.splice(rival, 1);
    }
  }
  let at = decisions.length;
  while (at > 0 && (decisions[at - 1]?.n ?? 0) > decision.n) at -= 1;
  if (decisions[at - 1]?.n === decision.n) return;
  decisions.splice(at, 0, withoutEvidence(decision));
}

function sameSlot(a: Decision, b: Decision): boolean {
  if (a.kind !== b.kind) return false;
  // A change of one limit leaves an older change of another in force.
  if (a.kind === 'limits-changed') return sameLimits(a.limits ?? {}, b.limits ?? {});
  return a.attempt === b.attempt && a.reason === b.reason;
}

function sameLimits(a: LimitsChange, b: LimitsChange): boolean {
  return (
    (a.maxRetries === undefined) === (b.maxRetries === undefined) &&
    (a.timeoutMs === undefined) === (b.timeoutMs === undefined)
  );
}

function withoutEvidence(decision: Decision): Decision {
  if (decision.evidence === undefined) return decision;
  const kept: { -readonly [K in keyof Decision]: Decision[K] } = { ...decision };
  delete kept.evidence;
  return kept;
}
