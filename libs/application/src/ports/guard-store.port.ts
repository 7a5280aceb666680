import type { Action, BlackoutMove, BlackoutSeen, Bucket, Budget, Gate, Level, ProbingMove, RevisionCount, SampleTally } from '#libs/domain';
import type { JobRefScope } from './due-store.port.js';

/** What is known of the guards of a queue when its jobs are decided on. */
export interface QueueGuard {
  /** Since when recovery is held, lane time ms; null: it is not. */
  readonly blackoutMs: number | null;
  /** While only probes go out: how many may, and when the last ones were given out; null: all may. */
  readonly probing: { readonly left: number; readonly probedMs: number } | null;
  /** null: nothing was ever spent. */
  readonly bucket: Bucket | null;
  /** What operators let through of it; null: everything, and nothing was ever held. */
  readonly gate: Gate | null;
  readonly levels: readonly LevelNow[];
}

/** A level that an operator has set: in force as long as the file's is the one that it was set over. */
export interface LevelNow {
  readonly action: Action;
  readonly level: Level;
  readonly fileLevel: Level;
}

/** By queue number; the bucket of the whole installation under {@link INSTALLATION}. */
export type GuardsRead = ReadonlyMap<number, QueueGuard>;
export const INSTALLATION = 0;

/**
 * What a transaction takes of one bucket. It is taken in the transaction that decides, behind the counters and before
 * the shards; where there is less by then, the whole transaction is repeated on what there is.
 */
export interface Spend {
  readonly queueId: number;
  readonly budget: Budget;
  readonly tokens: number;
  readonly tailMs: number;
  /** The bucket has been taken from before. */
  readonly known: boolean;
}

/** Probes that a transaction takes, in the same way. */
export interface ProbesTaken {
  readonly queueId: number;
  readonly probes: number;
}

/**
 * Blackouts, as the database keeps them: one row per queue, changed under its lock, so any number of replicas see and
 * make the same one.
 */
export interface BlackoutStore {
  /** Those in which a worker of a due job may be lost: the others need not be assessed. One look, without locks. */
  suspects(asks: readonly BlackoutAsk[]): Promise<readonly BlackoutAsk[]>;
  /**
   * Counts who fell silent, under the lock of the queue's row, and carries out the move that `decide` makes of it.
   * `decide` must be pure. null: nothing moves, or it was assessed a moment ago.
   */
  assess(ask: BlackoutAsk, decide: (seen: BlackoutSeen) => BlackoutMove): Promise<BlackoutMove>;
  /** Ends one by hand. false: the queue's recovery is not held. */
  release(queue: JobRefScope, told: { readonly by: string; readonly reason: string }): Promise<boolean>;
  /** Those that hold now. */
  held(): Promise<readonly HeldQueue[]>;
  /** Those of which incidents do not know yet, that they began or that they are over. */
  untold(): Promise<readonly UntoldBlackout[]>;
}

export interface BlackoutAsk {
  readonly queue: JobRefScope;
  readonly leaseMs: number;
  /** Fewer need not be set against those that live. */
  readonly minWorkers: number;
  readonly holdMaxMs: number;
  /** Leases that end up to here have ended: the lane has been read so far, ms. */
  readonly readMs: number;
  readonly gapEndMs: number;
  /** How far Kafka has been read, ms; null: nothing comes that way. */
  readonly kafkaReadMs: number | null;
}

export interface HeldQueue extends JobRefScope {
  readonly sinceMs: number;
}

export interface UntoldBlackout extends JobRefScope {
  /** null: it is over. */
  readonly sinceMs: number | null;
  readonly evidence: BlackoutEvidence | null;
  readonly endedBy: string | null;
  readonly endedReason: string | null;
}

/** What was counted when it began. */
export interface BlackoutEvidence {
  readonly lostWorkers: number;
  readonly workers: number;
  readonly share: number;
  readonly lostJobs: number;
  readonly windowMs: number;
  /** Some of them. */
  readonly names: readonly string[];
  /** At most 10, those with the most silent workers first; of workers that tell their release themselves. */
  readonly revisions: readonly RevisionCount[];
}

/** Samples of requeued attempts, and which queues are only probed. */
export interface ProbingStore {
  /** Follows some of them, while fewer than `most` of their queue are followed. */
  sample(requeued: readonly RequeuedAttempt[], most: number): Promise<void>;
  /** Of queues with samples, and of those that are probed. Drops samples that are older. */
  tallies(forgetAfterMs: number): Promise<readonly QueueTally[]>;
  /** Carries a move out, and drops the samples that led to it. Nothing changes where another replica has moved meanwhile. */
  move(tally: QueueTally, move: Exclude<ProbingMove, null>, at: { readonly nowMs: number; readonly probes: number }): Promise<void>;
}

export interface RequeuedAttempt {
  readonly queueId: number;
  readonly keyHex: string;
  readonly attempt: number;
}

export interface QueueTally extends SampleTally {
  readonly queue: JobRefScope;
  readonly queueId: number;
}
