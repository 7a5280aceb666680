/**
 * One pg-boss job as one run of Jobwarden's: its id and when it was created, `7f9c…@1764470000000`. pg-boss takes ids of
 * the caller's choosing, and after its retention an id can come a second time.
 */
export interface NativeRun {
  readonly nativeId: string;
  /** `created_on`, ms since 1970. */
  readonly createdMs: number;
}

export function runId({ nativeId, createdMs }: NativeRun): string {
  return `${nativeId}@${createdMs}`;
}

/** Null for an id that is no pg-boss job's. */
export function parseRunId(jobId: string): NativeRun | null {
  const [, nativeId, created] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@(\d{1,15})$/u.exec(jobId) ?? [];
  if (nativeId === undefined || created === undefined) return null;
  const createdMs = Number(created);
  return String(createdMs) === created ? { nativeId, createdMs } : null;
}
