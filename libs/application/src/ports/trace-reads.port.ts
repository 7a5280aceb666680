import type { JobRef, JobStatus, Lease } from '#libs/domain';
import type { Page, PageOf } from './read-models.port.js';

/** Jobs that somebody traces, and of which nobody expects anything any more. */
export interface TraceReads {
  /** By queue, oldest first within it. A page may hold fewer than asked for although there is another. */
  incomplete(scope: IncompleteScope, page: Page): Promise<PageOf<IncompleteRow>>;
}

export interface IncompleteScope {
  readonly namespace: string;
  readonly queue?: string;
  /** Only what came to where it stands since then, lane time ms. */
  readonly sinceMs?: number;
  /** How long a job of the queue may wait for its start, ms. */
  readonly startByMs: (queue: { readonly namespace: string; readonly queue: string }) => number;
}

/**
 * Why nothing is expected: `would-have`: it was found stuck, and Jobwarden may not act on it; `starved`: it waits for a start
 * for longer than `startBy`; `held`: a verdict is due for over a minute, and something holds it; `failed`, `incomplete`: it
 * stands there, and nothing is planned.
 */
export type IncompleteBecause = 'would-have' | 'starved' | 'held' | 'failed' | 'incomplete';

export interface IncompleteRow {
  readonly ref: JobRef;
  readonly kind: string | null;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly because: IncompleteBecause;
  readonly waitsFor: string | null;
  readonly heldBy: string | null;
  readonly sinceMs: number;
  /** The fold's state as text. */
  readonly state: string;
  /** By attempt. */
  readonly leases: ReadonlyMap<number, Lease>;
  /** Lane time, ms. */
  readonly nowMs: number;
}
