/** Keeps bounded what is bounded, and lets whole periods of the log go once they are old and nothing in them is live. */
export interface Housekeeping {
  /**
   * Removes what is older than its age, and moves the retention line. Safe on any number of replicas. On a database
   * with the manual clock nothing that a replay could ask for later is removed.
   */
  run(ages: HousekeepingAges): Promise<HousekeepingReport>;
}

export interface HousekeepingAges {
  /** The longest retention of any queue, ms: streams live in whole periods, so the longest one rules. */
  readonly retentionMs: number;
  readonly verdictsMs: number;
  readonly runsMs: number;
  /** Sent messages: how far back a stream can be resumed. */
  readonly outboundMs: number;
  /** Quarantine entries that were replayed or dismissed; open ones stay until somebody does either. */
  readonly quarantineMs: number;
  /** Lease rows of jobs and workers that are over or unknown. */
  readonly leasesMs: number;
  /** Reports and heaps of workers: their bytes. What is known of them stays as long as incidents do. */
  readonly evidenceMs: number;
  /** Incidents that are resolved, since then; open ones stay. */
  readonly incidentsMs: number;
  /** What was counted of outcomes, per stretch of time; a sum of it is kept for as long, an hour in fine stretches. */
  readonly outcomesMs: number;
  /** How queues stood, minute by minute. */
  readonly queueSamplesMs: number;
  /** How workers' processes stood. */
  readonly samplesMs: number;
}

export interface HousekeepingReport {
  readonly droppedPeriods: readonly number[];
  /** Old periods that stay because a job in them is still live. */
  readonly keptPeriods: readonly number[];
}

const DAY_MS = 86_400_000;

/** Defaults, but for retention, which is the policy's. */
export const HOUSEKEEPING_AGES: Omit<HousekeepingAges, 'retentionMs'> = {
  verdictsMs: 90 * DAY_MS,
  runsMs: 7 * DAY_MS,
  outboundMs: 7 * DAY_MS,
  quarantineMs: 90 * DAY_MS,
  leasesMs: DAY_MS,
  evidenceMs: 7 * DAY_MS,
  incidentsMs: 90 * DAY_MS,
  outcomesMs: 2 * DAY_MS,
  queueSamplesMs: DAY_MS,
  samplesMs: DAY_MS / 24,
};
