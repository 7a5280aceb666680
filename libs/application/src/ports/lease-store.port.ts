import type { Heartbeat, JobRef, JobStatus, Worker } from '#libs/domain';

/** Heartbeats, kept as the newest per (job, attempt). Repeats and disorder are harmless. */
export interface LeaseStore {
  /**
   * Renews leases that exist; answers each beat with what its job's row says. A beat without a lease row is answered
   * `lease: false`: its first one goes through {@link LogStore.transact}, which takes the job's lock.
   */
  renew(beats: readonly Beat[], lane: number): Promise<readonly BeatAnswer[]>;
  /** A worker's one beat for all it holds: one row, and lease rows only for what it took up or let go since. */
  renewWorker(beat: WorkerBeat, lane: number): Promise<readonly BeatAnswer[]>;
}

export interface Beat {
  readonly ref: JobRef;
  readonly keyHex: string;
  readonly heartbeat: Heartbeat;
  /** The broker's append time, ms; null: the lane time of the transaction. */
  readonly atMs: number | null;
}

export interface WorkerBeat {
  readonly namespace: string;
  readonly worker: Worker;
  readonly runtime: Readonly<Record<string, unknown>> | null;
  readonly jobs: readonly Beat[];
  readonly atMs: number | null;
}

export interface BeatAnswer {
  readonly keyHex: string;
  readonly attempt: number;
  /** A lease row of this (job, attempt) is there now. */
  readonly lease: boolean;
  /** Of the claim that began the lease: a beat that does not name it has renewed nothing. null: nobody claimed it. */
  readonly token: number | null;
  /** null: the job is unknown. */
  readonly job: { readonly status: JobStatus; readonly attempt: number; readonly verdictMarks: number } | null;
}
