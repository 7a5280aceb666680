import type { Decision } from '../events/decisions.js';
import type { BodyRef } from '../events/facts.js';
import type { JobState } from '../fold/state.js';

/** Each change of the payload by hand, oldest first. */
export function patchesOf({ decisions }: Pick<JobState, 'decisions'>): readonly (Decision & { readonly payload: BodyRef })[] {
  return decisions.filter((d): d is Decision & { payload: BodyRef } => d.kind === 'patched' && d.payload !== undefined);
}

/**
 * What an attempt was to run with, or without one the next: as it was changed by hand last before it, else as it was queued.
 * undefined: nothing was told.
 */
export function payloadOf(state: Pick<JobState, 'queued' | 'decisions'>, attempt = Infinity): BodyRef | undefined {
  return patchesOf(state).findLast((patch) => patch.attempt < attempt)?.payload ?? state.queued?.payload;
}
