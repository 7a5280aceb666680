import { FINISHED, stateFromJson, visibilityGaps, type JobStatus, type TracedJobs } from '#libs/domain';

export interface TracedRow {
  readonly status: JobStatus;
  readonly attempt: number;
  readonly state: string;
}

/** Of these jobs what is not completed, and the gaps that began in that time; open as it stood at its end. */
export function tracedJobs(rows: readonly TracedRow[], fromMs: number, endMs: number): TracedJobs {
  const gaps = rows
    .flatMap(({ status, attempt, state }) => visibilityGaps(stateFromJson(state), new Map(), { attempt, processing: status === 'processing', nowMs: endMs }))
    .filter((gap) => gap.fromMs >= fromMs && gap.fromMs <= endMs)
    .map((gap) => ({ open: gap.untilMs === null || gap.untilMs > endMs, ms: Math.min(gap.untilMs ?? endMs, endMs) - gap.fromMs }));
  return {
    seen: rows.length,
    withoutEnd: rows.filter(({ status }) => !FINISHED.has(status)).length,
    gaps: { count: gaps.length, open: gaps.filter(({ open }) => open).length, longestMs: Math.max(0, ...gaps.map(({ ms }) => ms)) },
  };
}
