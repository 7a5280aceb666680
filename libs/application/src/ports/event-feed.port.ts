/**
 * A broker's topic of events, as the use cases see it: partitions come and go, each gives batches in order, and where to
 * go on is answered by the log and not by the broker.
 *
 *   assigned ──positions──► batch ──► batch … ──► revoked
 *
 * `batch` resolves when everything of the batch is committed. It rejects with RetryableError when the database is away
 * (the same batch comes again later, and meanwhile the reader keeps its partition), and with RetryableError `lane_lost`
 * when somebody else reads the partition: then `assigned` is asked anew, if it is still this reader's.
 */
export interface FeedReceiver {
  /** Answers the position wanted next, for each, in order; null: stopped, nothing of it is to be read for now. */
  assigned(partitions: readonly FeedPartition[], broker: PartitionAnswers): Promise<readonly (number | null)[]>;
  /**
   * All partitions of the topic, whoever reads them, at the start and when there are new ones: verdicts have to wait for
   * a partition from the moment on in which a key can lie there. Idempotent.
   */
  known?(partitions: readonly FeedPartition[]): Promise<void>;
  /** One at a time per partition. Gaps between offsets are the broker's own (markers, compaction). */
  batch(batch: FeedBatch): Promise<void>;
  /** Called before somebody else gets them, if the broker lets us. A batch under way may still end. */
  revoked(names: readonly string[]): void;
}

export interface FeedPartition {
  /** The lane's name: `kafka/<topic>/<partition>`. */
  readonly name: string;
  /** First offset that is still there, and the one that the next record will get. */
  readonly low: number;
  readonly high: number;
  /** Which cluster it lies in. */
  readonly origin: string;
}

/** What the broker says of one partition when it is asked. @throws where it does not answer, or does not know the partition. */
export interface PartitionAnswers {
  /** As it is now: a {@link FeedPartition} that was handed over is as old as the handing over took. */
  now(name: string): Promise<FeedPartition>;
  /** The first offset of a partition whose record was appended after `timeMs`; the one that comes next where none was. */
  firstAfter(name: string, timeMs: number): Promise<number>;
}

export interface FeedBatch {
  readonly name: string;
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly FeedRecord[];
  /** The offset after the batch, markers included. */
  readonly next: number;
  /**
   * Records up to this offset may come from a time in which no emitter could be heard: leases run again in full from
   * them on. Default: none.
   */
  readonly unsureUpTo?: number;
}

export interface FeedRecord {
  readonly offset: number;
  /** The broker's append time, ms. */
  readonly timeMs: number;
  readonly key: string | null;
  readonly value: Buffer | null;
  /** By lower-case name; of several values the last one. */
  readonly headers: Readonly<Record<string, string>>;
  /** Written by Jobwarden itself into a quiet partition: it carries its append time and nothing else. */
  readonly tick: boolean;
}
