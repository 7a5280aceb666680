import type { EnqueueCommandData } from '@jobwarden/client';

/** What stands in the queue: one attempt of one job. */
export interface Ticket {
  readonly id: string;
  readonly kind: string;
  readonly attempt: number;
  /** Fencing token of the attempt. The first attempt runs before anyone has told it. */
  readonly token?: number;
  /** What to run with, as whoever made the job has it. */
  readonly payload?: unknown;
  /** What asked for this attempt; absent: the job's first. */
  readonly command?: EnqueueCommandData;
}
