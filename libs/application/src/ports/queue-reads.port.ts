import type { JobStatus } from '#libs/domain';
import type { BlackoutEvidence } from './guard-store.port.js';
import type { Page, PageOf } from './read-models.port.js';

export interface QueueReads {
  list(namespace: string, page: Page): Promise<PageOf<QueueRow>>;
  one(namespace: string, queue: string): Promise<QueueRow | null>;
  /** That have queues, by name. */
  namespaces(limit: number): Promise<readonly string[]>;
  /**
   * What describes the database, of every queue of every namespace: for the one replica that exports it, or the sums
   * over replicas would multiply. null: this is not that one.
   */
  exported(replicaId: string): Promise<readonly QueueDepth[] | null>;
  /** What is held, by whatever holds it. */
  recovery(): Promise<RecoveryFigures>;
  /**
   * Age of the oldest transaction that keeps dead rows from being removed, ms; null where the role may not see those of
   * others.
   */
  oldestXminAgeMs(): Promise<number | null>;
  /** Of every table that rows are updated in: dead ones over all, 0 to 1, as the server estimates them. */
  deadRows(): Promise<readonly { readonly table: string; readonly ratio: number }[]>;
}

export interface QueueRow {
  readonly namespace: string;
  readonly queue: string;
  readonly byStatus: Readonly<Record<JobStatus, number>>;
  readonly attemptsSucceeded: number;
  readonly attemptsFailed: number;
  readonly attemptsLost: number;
  /** In processing, with an open would-have that takes them for lost or hung. */
  readonly suspected: number;
  /** Since when the oldest waiting job waits, lane time ms; null = none waits. */
  readonly oldestSinceMs: number | null;
  /** Run times of all kinds: bucket → count. */
  readonly runTimes: ReadonlyMap<number, number>;
  readonly native: NativeQueueRow | null;
  /** What holds its recovery; null: nothing does. */
  readonly recovery: RecoveryRow | null;
  readonly nowMs: number;
}

export interface RecoveryRow {
  readonly heldBy: 'blackout' | 'probing';
  readonly sinceMs: number;
  /** Of a blackout: what was counted when it began. */
  readonly evidence: BlackoutEvidence | null;
}

export interface RecoveryFigures {
  /** Jobs of which a decision is due and not made, by what holds them. */
  readonly jobs: readonly { readonly by: string; readonly count: number }[];
  readonly queues: readonly { readonly queue: string; readonly by: RecoveryRow['heldBy'] }[];
}

export interface NativeQueueRow {
  readonly waiting: number | null;
  readonly oldestAgeMs: number | null;
  readonly paused: boolean | null;
  readonly reportedMs: number;
}

export interface QueueDepth {
  readonly namespace: string;
  readonly queue: string;
  /** As the native queue says, while it does; else as counted here. null: unknown, as where nobody tells what is put in. */
  readonly waiting: number | null;
  /** How long the one that waits longest has done so, ms, from the same source; 0: none waits; null: unknown. */
  readonly oldestWaitingMs: number | null;
  /** How long the verdict that has been held longest is overdue, ms; null = none is held. */
  readonly oldestUnresolvedMs: number | null;
}
