import type { Decision } from '../events/decisions.js';
import type { JobState } from '../fold/state.js';
import { payloadOf } from './payload.js';

/** The decision by which the job's bodies were erased; null: they were not. */
export function erasureOf({ decisions }: Pick<JobState, 'decisions'>): Decision | null {
  return decisions.find((d) => d.kind === 'payload-erased') ?? null;
}

/** Its payload was kept here and is no more: nothing can be sent to run it with. One that lies elsewhere is untouched. */
export function isPayloadGone(state: JobState): boolean {
  const payload = payloadOf(state);
  return payload !== undefined && 'hash' in payload && erasureOf(state) !== null;
}
