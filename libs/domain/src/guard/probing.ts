/**
 * Whether what is requeued only fails again, as while a service that the jobs need is down. All retries would then be used
 * up for nothing, so only a few go out until one of them succeeds:
 *
 *   all go out ──of {@link SAMPLES} requeued attempts more than `share` failed again──► probing
 *   probing ──a probe succeeded──► all go out          probing ──`every`──► as many probes again
 *
 * Known by samples, which is enough to tell nearly all from some, and costs the same for any number of jobs.
 */
export interface ProbingRule {
  /** Over it; so 1 is never reached. */
  readonly share: number;
  readonly probes: number;
  readonly everyMs: number;
}

/** Requeued attempts that are followed at a time. */
export const SAMPLES = 20;

export interface SampleTally {
  /** Since when only probes go out, lane time ms; null: all do. */
  readonly sinceMs: number | null;
  /** When the last probes were given out. */
  readonly probedMs: number;
  readonly failed: number;
  readonly succeeded: number;
}

export type ProbingMove = 'begin' | 'again' | 'end' | 'forget' | null;

export function probingMove(tally: SampleTally, { share, everyMs }: ProbingRule, nowMs: number): ProbingMove {
  const { sinceMs, probedMs, failed, succeeded } = tally;
  const known = failed + succeeded;
  if (sinceMs !== null) {
    if (succeeded > 0) return 'end';
    return nowMs >= probedMs + everyMs ? 'again' : null;
  }
  if (known < SAMPLES) return null;
  return failed > share * known ? 'begin' : 'forget';
}
