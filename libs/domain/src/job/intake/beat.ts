import type { JobState } from '../fold/state.js';
import type { JobView } from '../view/view.js';

/** What an accepted heartbeat changes, decided under the row's lock. `elsewhere`: it is not of what runs now. */
export type BeatChange = 'elsewhere' | 'nothing' | 'lease' | 'start-and-lease';

/**
 * Only the current attempt of a job that is not over can be held by a beat; what comes after an attempt's end is a
 * straggler: it neither begins it again nor holds it. The first one with no start seen stands for the start.
 */
export function takeInBeat(state: JobState, view: JobView, attempt: number): BeatChange {
  if (view.finished || attempt !== view.attempt) return 'elsewhere';
  const known = state.attempts.get(attempt);
  if (known !== undefined && known.outcome !== null) return 'nothing';
  return known === undefined || known.firstStartMs === null ? 'start-and-lease' : 'lease';
}
