import type { JobRef } from '#libs/domain';

/** Dead letters as they lie there, by queue. */
export interface DeadLetterShelf {
  /** Of every queue that has some. Costs a look-up by index a queue, however many lie there. */
  standing(): Promise<readonly DeadLetterStanding[]>;
  /** Those that died longer ago than so many ms, the oldest first. None on a database with the manual clock. */
  expired(queue: Pick<JobRef, 'namespace' | 'queue'>, page: { readonly olderThanMs: number; readonly limit: number }): Promise<readonly JobRef[]>;
}

export interface DeadLetterStanding {
  readonly namespace: string;
  readonly queue: string;
  readonly letters: number;
  /** How long the oldest has been there, ms. */
  readonly oldestMs: number;
  /** The same of those that arrived after the last review of the queue, or of its namespace. null: all were looked through. */
  readonly unreviewedMs: number | null;
}
