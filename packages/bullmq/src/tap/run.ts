import type { Worker } from '@jobwarden/client';
import { runOf } from '../run-id.js';
import type { NativeJob } from './native-job.js';
import { BEFORE_ALL, type StreamId } from './stream-id.js';

export type RunState = 'waiting' | 'active' | 'delayed';

/** A run that has not ended, as the tap knows it. Hundreds of thousands may wait, so it holds no more than it must. */
export interface Run {
  readonly nativeId: string;
  readonly jobId: string;
  readonly createdMs: number;
  readonly firstAttempt: number;
  /** How often a worker took it. */
  starts: number;
  /** How many of these starts ended by an error of the handler. */
  failures: number;
  state: RunState;
  /** Up to this entry the stream is in what is known already: the job's hash was read after it. */
  asOf: StreamId;
  /** When Redis wrote down the last start, ms; null: it was before the tap looked. */
  activeMs: number | null;
  /** Earliest time that may be told for the end of the last start, ms: emitters' clocks differ from Redis'. */
  startedMs: number;
  /** Token of the lock of the last start; null: it was gone before the tap looked. */
  token: string | null;
  worker: Worker;
  /** What the handler said last, if it may be told; goes out with the next heartbeat. */
  progress?: unknown;
  /** When to look at the lock next, ms of the tap's clock. */
  lookMs: number;
}

export function newRun(nativeId: string, createdMs: number, job: NativeJob | null = null): Run {
  const { jobId, firstAttempt } = runOf(nativeId, createdMs);
  return {
    nativeId,
    jobId,
    createdMs,
    firstAttempt,
    starts: job?.starts ?? 0,
    failures: job?.ends ?? 0,
    state: 'waiting',
    asOf: BEFORE_ALL,
    activeMs: null,
    startedMs: 0,
    token: null,
    worker: { id: 'bullmq' },
    lookMs: 0,
  };
}

/** Jobwarden's number of the last start; the first one's while there is none. */
export function attemptOf(run: Run): number {
  return run.firstAttempt + Math.max(run.starts, 1) - 1;
}
