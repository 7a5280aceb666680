/**
 * One BullMQ job as one run of Jobwarden's, in both directions.
 *
 * BullMQ gives a native id again: after `obliterate`, in another Redis, or when a custom id is used a second time. So a run
 * is named by its native id and by when it was created (the hash's `timestamp`, which survives retries):
 * `42@1764470000000`. The native id may hold anything, `@` too: the last one counts.
 *
 * The other way round, Jobwarden may have a run put into BullMQ again as a new job. Its custom id names run, attempt and
 * token, so that the same command twice is one job: BullMQ adds no second one under an id that is there. BullMQ refuses
 * custom ids that are whole numbers and most that hold a colon; these end in `~jobwarden~attempt~token`, and colons are
 * written `%3A`. Our name is in it so that nobody's own ids, `order~2~7`, are taken for an attempt.
 */

export interface NativeRun {
  readonly nativeId: string;
  /** The job's `timestamp`, ms since 1970. */
  readonly createdMs: number;
}

export interface GrantedRun {
  /** Jobwarden's job id. */
  readonly jobId: string;
  readonly attempt: number;
  readonly token: number;
}

export function runId(nativeId: string, createdMs: number): string {
  return `${nativeId}@${createdMs}`;
}

/** Null for an id that no binding of BullMQ has made. */
export function parseRunId(jobId: string): NativeRun | null {
  const [, nativeId, created] = /^(.+)@(\d{1,16})$/su.exec(jobId) ?? [];
  if (nativeId === undefined || created === undefined) return null;
  const createdMs = Number(created);
  // Written another way than runId writes it: it would not come back as the same id.
  return String(createdMs) === created ? { nativeId, createdMs } : null;
}

/** The custom id under which an attempt that Jobwarden has granted is put into BullMQ. */
export function grantedJobId({ jobId, attempt, token }: GrantedRun): string {
  return `${jobId.replaceAll('%', '%25').replaceAll(':', '%3A')}~jobwarden~${attempt}~${token}`;
}

/** Null for a native id that is no granted attempt's. */
export function parseGrantedJobId(nativeId: string): GrantedRun | null {
  const [, escaped, attempt, token] = /^(.+)~jobwarden~([1-9]\d{0,9})~(0|[1-9]\d{0,15})$/su.exec(nativeId) ?? [];
  if (escaped === undefined || /:|%(?!25|3A)/u.test(escaped)) return null;
  const jobId = escaped.replaceAll('%3A', ':').replaceAll('%25', '%');
  return { jobId, attempt: Number(attempt), token: Number(token) };
}

export interface NamedRun {
  /** Jobwarden's job id. */
  readonly jobId: string;
  /** What Jobwarden calls this job's first start; each further start of the same native job is one more. */
  readonly firstAttempt: number;
  /** Of a job that Jobwarden had put into BullMQ. */
  readonly token?: number;
}

/** Whose run a native job is: its own, or that of which it is a granted attempt. */
export function runOf(nativeId: string, createdMs: number): NamedRun {
  const granted = parseGrantedJobId(nativeId);
  return granted === null
    ? { jobId: runId(nativeId, createdMs), firstAttempt: 1 }
    : { jobId: granted.jobId, firstAttempt: granted.attempt, token: granted.token };
}
