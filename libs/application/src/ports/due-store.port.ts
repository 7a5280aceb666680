import type { JobRef } from '#libs/domain';

/** What is due: reads the schedule fairly per queue, without locks; who decides locks and looks again. */
export interface DueStore {
  /** Jobs with `look_at ≤ nowMs`, at most `perQueue` of each queue and `limit` in all, earliest first within a queue. */
  due(options: { readonly nowMs: number; readonly perQueue: number; readonly limit: number; readonly queue?: JobRefScope }): Promise<readonly DueJob[]>;
  /** Earliest `look_at` after which anything is due, by what it waits for; for tests and operators. */
  nextDue(): Promise<readonly { readonly waitsFor: string; readonly lookAtMs: number; readonly jobs: number }[]>;
}

export interface JobRefScope {
  readonly namespace: string;
  readonly queue: string;
}

export interface DueJob {
  readonly ref: JobRef;
  readonly keyHex: string;
  readonly lookAtMs: number;
  readonly waitsFor: string | null;
}
