import type { JobStatus } from '#libs/domain';

/** What a comparison with somebody else's view reads. Plain reads: nothing is locked. */
export interface CompareStore {
  /** Lane time now, ms. */
  laneNowMs(): Promise<number>;
  /** Where these jobs stand now, by key; also of those below the retention line. What is absent is unknown. */
  standings(keysHex: readonly string[]): Promise<ReadonlyMap<string, JobStanding>>;
  /**
   * Jobs of one queue that are not finished, and whose status holds since `untilMs` or before. In pages by a key that
   * does not change while a job stays where it is: whoever follows `next` sees each job that did.
   */
  live(
    scope: { readonly namespace: string; readonly queue: string; readonly untilMs: number },
    page: { readonly limit: number; readonly after: string | null },
  ): Promise<{ readonly items: readonly LiveJob[]; readonly next: string | null }>;
}

export interface JobStanding {
  readonly status: JobStatus;
  readonly attempt: number;
  /** Since when the status holds, lane time ms. */
  readonly sinceMs: number;
}

export interface LiveJob extends JobStanding {
  readonly keyHex: string;
  readonly id: string;
}
