/**
 * What Jobwarden keeps in the user's Redis, all of it under the queue's own prefix.
 *
 * In a job's hash, gone with the job: {@link JOB_FIELDS}. BullMQ reads the fields it knows by name and leaves others alone.
 * Beside the queue, and bounded: {@link ownKeys}. BullMQ refuses custom ids with one colon, so no job can have such a key.
 */
export const JOB_FIELDS = {
  /** `attempt token starts base`: which attempt a command has asked for, see Grant. */
  grant: 'jobwarden:grant',
  /** What came with the command, JSON: reason, previous worker, progress. */
  command: 'jobwarden:command',
  /** `starts message`: after which start we have put the job aside, and what it failed with. */
  held: 'jobwarden:held',
  /** Up to which attempt nobody wants it to run any more. */
  stopped: 'jobwarden:stopped',
} as const;

export interface OwnKeys {
  /** String: how far the command stream has been followed. One per queue. */
  readonly position: string;
  /** Sorted set of attempts that were added as new jobs, by when; at most {@link ADDED_KEPT}, none older than {@link ADDED_KEPT_MS}. */
  readonly added: string;
}

/** Some hundred bytes each. */
export const ADDED_KEPT = 10_000;
/** A day longer than Jobwarden keeps what it has sent: no copy comes later. */
export const ADDED_KEPT_MS = 8 * 86_400_000;

/** `base` is `prefix:queue:`. */
export function ownKeys(base: string): OwnKeys {
  return { position: `${base}jobwarden:position`, added: `${base}jobwarden:added` };
}
