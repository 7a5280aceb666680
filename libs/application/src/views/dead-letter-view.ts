import type { DeadLetterView } from '#libs/contracts';
import { payloadOf, stateFromJson } from '#libs/domain';
import type { JobRow } from '../ports/read-models.port.js';
import { chainOf, firstCauseOf, hopsOf, patchViews } from './chain.js';
import { erasedOf } from './erasure-view.js';
import { iso } from './time.js';

/** A job that failed for good, with every attempt since the first. */
export function deadLetterView(row: JobRow): DeadLetterView {
  const state = stateFromJson(row.state);
  const decision = state.decisions.findLast((d) => d.kind === 'dead-lettered');
  const payload = payloadOf(state);
  const firstCause = firstCauseOf(state);
  const hops = hopsOf(state);
  const patches = patchViews(state);
  return {
    namespace: row.ref.namespace,
    queue: row.ref.queue,
    id: row.ref.id,
    kind: row.kind,
    attempt: row.attempt,
    n: decision?.n ?? row.n,
    at: iso(decision?.laneMs ?? row.sinceMs),
    reason: decision?.reason ?? 'unknown',
    by: decision?.by ?? 'jobwarden',
    chain: chainOf(state),
    ...(payload !== undefined && { payload }),
    ...erasedOf(state),
    ...(firstCause !== null && { firstCause }),
    redrives: hops.length,
    hops,
    ...(patches.length > 0 && { patches }),
  };
}
