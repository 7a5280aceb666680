import type { CauseWindow } from '#libs/domain';
import type { QueueName } from './outcome-store.port.js';

/** What the log tells of some queues over a time: all that the cause of an incident is worked out from. */
export interface CauseWindows {
  /**
   * Reads only; each list of the window is bounded, so it costs about the same whatever fails. Of more than 50 queues the 50
   * with the most failures. What was usual is taken from the hour before `fromMs`. Not of one instant: meant to be read a few
   * times a minute while something goes wrong. Errors: RetryableError when the database is away.
   */
  read(queues: readonly QueueName[], scope: { readonly fromMs: number; readonly toMs: number }): Promise<CauseWindow>;
}
