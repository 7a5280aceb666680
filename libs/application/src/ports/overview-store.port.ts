/** What the overview is made from: everything of all queues at once, at a cost that does not depend on how many jobs there are. */
export interface OverviewReads {
  /** Queues of the namespaces, by namespace and name, at most `limit`. */
  queues(namespaces: readonly string[] | 'all', limit: number): Promise<OverviewRows>;
}

export interface OverviewRows {
  /** Lane time, ms. */
  readonly nowMs: number;
  /** Minutes since 1970 of the samples that were taken in the last hour, oldest first. */
  readonly minutes: readonly number[];
  readonly queues: readonly OverviewRow[];
  /** There are more queues than that. */
  readonly more: boolean;
}

export interface OverviewRow {
  readonly namespace: string;
  readonly queue: string;
  /** As the native queue says, while it does; else as counted here. null: unknown. */
  readonly waiting: number | null;
  readonly running: number;
  readonly stuck: number;
  readonly deadLettered: number;
  /** Verdicts that are due and not given. */
  readonly held: number;
  /** Since when the oldest waiting job waits, lane time ms. */
  readonly oldestSinceMs: number | null;
  /** In the last quarter of an hour: attempts that succeeded, and those that failed or were lost. */
  readonly succeeded: number;
  readonly failed: number;
  /** Median run time of the last minute in which something succeeded, of that quarter. */
  readonly medianMs: number | null;
  /** By minute; of those that are left out the queue was idle. */
  readonly samples: ReadonlyMap<number, OverviewSample>;
  readonly recovery: 'blackout' | 'probing' | null;
}

export interface OverviewSample {
  readonly waiting: number;
  /** Share of the attempts that ended since the sample before; null: none did. */
  readonly failed: number | null;
  /** null: nothing succeeded since. */
  readonly medianMs: number | null;
}

/** Where samples of queues are taken from and kept. */
export interface QueueSampleStore {
  /** null: another replica takes them. Cheap enough to be asked every few seconds. */
  last(replicaId: string): Promise<LastSample | null>;
  /** Every queue as it stands. */
  queues(): Promise<readonly SampledQueue[]>;
  /** Run times of all kinds, by queue: bucket → count, since ever. */
  runTimes(queueIds: readonly number[]): Promise<ReadonlyMap<number, ReadonlyMap<number, number>>>;
  /** What ended in [sinceMs, untilMs), by queue. */
  ended(sinceMs: number, untilMs: number): Promise<ReadonlyMap<number, { readonly succeeded: number; readonly failed: number }>>;
  /** Idempotent per minute: the last one counts. */
  write(minute: number, samples: readonly QueueSample[]): Promise<void>;
}

export interface LastSample {
  /** Lane time, ms. */
  readonly nowMs: number;
  /** Of the sample before; null: there is none of the last hour. */
  readonly lastMinute: number | null;
}

export interface SampledQueue {
  readonly queueId: number;
  readonly waiting: number;
  readonly running: number;
  /** Attempts, since ever. */
  readonly succeeded: number;
}

export interface QueueSample {
  readonly queueId: number;
  readonly waiting: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly medianMs: number | null;
}
