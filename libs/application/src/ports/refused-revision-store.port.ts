import type { JobRef, Lease } from '#libs/domain';
import type { Page, PageOf } from './read-models.port.js';
import type { RunAt } from './run-store.port.js';

/** A release of workers, of one queue or of every queue of a namespace. */
export interface RevisionScope {
  readonly namespace: string;
  /** null: every queue of the namespace. */
  readonly queue: string | null;
  /** As workers name it in `worker.revision`. */
  readonly revision: string;
}

/** One decision to take a release out of service, and the one that let it in again. */
export interface RefusedRevision extends RevisionScope {
  readonly id: string;
  readonly reason: string;
  readonly by: string;
  /** The incident that it was done for; null: by hand. */
  readonly incidentId: string | null;
  /** Lane time, ms. */
  readonly setMs: number;
  /** Of the list, once this stood in it. */
  readonly version: number;
  /** null: it stands. */
  readonly lifted: { readonly ms: number; readonly by: string; readonly reason: string } | null;
}

export interface RefusedList {
  /** Rises with every change. */
  readonly version: number;
  readonly standing: readonly RefusedRevision[];
}

export interface RefusalChange extends RevisionScope {
  readonly reason: string;
  readonly by: string;
  readonly incidentId: string | null;
}

export interface RefusedRevisionStore {
  /** Everything that stands, with the version that it is of. */
  read(): Promise<RefusedList>;
  /** Idempotent: what stands already stays as it was made, with its first reason. */
  set(change: RefusalChange): Promise<{ readonly refusal: RefusedRevision; readonly changed: boolean }>;
  /** The same for a run, as long as that is as it was judged; else nothing is refused. */
  setFor(run: RunAt, change: Omit<RefusalChange, 'incidentId'>): Promise<void>;
  /** null: nothing of just this scope stands. */
  lift(change: Omit<RefusalChange, 'incidentId'>): Promise<RefusedRevision | null>;
  /** The least version that a replica which may grant claims goes by; null: none is alive. */
  leastRead(): Promise<number | null>;
  /** Newest first, those that were lifted too. */
  list(filter: { readonly namespace: string; readonly queue?: string; readonly revision?: string }, page: Page): Promise<PageOf<RefusedRevision>>;
}

/** What is known of releases: who runs them, and what of. */
export interface RevisionReads {
  /** By queue and revision. Of workers that beat within the last day, and of the attempts that they hold. */
  seen(namespace: string, queue: string | null): Promise<readonly SeenRevision[]>;
  /** Attempts in progress of the scope's queues whose state names the revision, at most 10,000. */
  held(scope: RevisionScope): Promise<readonly HeldByRevision[]>;
}

export interface SeenRevision {
  /** null: its workers hold nothing now, so nobody knows of which queue they are. */
  readonly queue: string | null;
  readonly revision: string;
  /** Workers that beat within the last minute. */
  readonly workers: number;
  /** Attempts that they hold. */
  readonly running: number;
  /** Last beat, lane time ms. */
  readonly lastMs: number;
}

export interface HeldByRevision {
  readonly ref: JobRef;
  readonly kind: string | null;
  readonly attempt: number;
  readonly state: string;
  readonly lease: Lease | null;
}
