import type { ActedRun, Gate, JobRef, TriesLook } from '#libs/domain';

export type RunQueueName = Pick<JobRef, 'namespace' | 'queue'>;

/** A queue of a run. */
export interface RunQueue extends RunQueueName {
  /** false: it only has the same target. */
  readonly saturated: boolean;
  /** What it let in before the run; null: the run has never throttled it. */
  readonly before: { readonly gate: Gate; readonly perSecond: number | null } | null;
  readonly normalPerSecond: number | null;
  /** What the run lets in of that; null: it holds nothing back. */
  readonly sharePercent: number | null;
}

export interface Try {
  readonly incidentId: string;
  /** Of the step that announced it. */
  readonly n: number;
  readonly act: string;
  /** That write to the cluster, at most. */
  readonly calls: number;
}

/**
 * A run as it was judged: its last step is `n`. What is done for it looks at that in its own transaction, and does nothing
 * once the run has gone on: whoever was halted after the look would else hold a queue back, or refuse a revision, of a run that is over.
 */
export interface RunAt {
  readonly incidentId: string;
  readonly n: number;
}

/** What runs keep beside the steps of their incidents. All throw RetryableError when the database is away. */
export interface RunStore {
  /** Lane time, ms. */
  nowMs(): Promise<number>;
  /**
   * Runs `work` while no other replica runs any under the same key; null: another does. It ends with this process, and after
   * half a minute without a word of it. What `work` writes itself is written by other connections, and stays.
   */
  alone<T>(key: string, work: () => Promise<T>): Promise<T | null>;
  /** Open incidents of saturation, and those that are over and still hold a queue back; `n`: of the last step. */
  toDrive(): Promise<readonly { readonly id: string; readonly n: number; readonly open: boolean }[]>;
  queues(incidentId: string): Promise<readonly RunQueue[]>;
  /** Repeatable; one that is there already may become saturated. Answers how many are new. */
  join(incidentId: string, queues: readonly (RunQueueName & { readonly saturated: boolean })[]): Promise<number>;
  /** Keeps what it let in before, unless null; and what the run lets in from now on. false: the run has gone on, nothing is kept. */
  hold(run: RunAt, queue: RunQueueName, held: Required<Pick<RunQueue, 'before' | 'normalPerSecond' | 'sharePercent'>>): Promise<boolean>;
  /** The run holds it back no more. Nothing happens where it has gone on. */
  letGo(run: RunAt, queue: RunQueueName): Promise<void>;
  /** Of what step `n` announced; writes of the whole run. */
  tries(incidentId: string, n: number): Promise<TriesLook>;
  /** Whether it still stands as it was judged, and nothing is to stop what is done: for acts outside of the database. */
  mayAct(run: RunAt): Promise<boolean>;
  /** Before it is done. false: the bounds are reached, the incident has another last step than `n` by now, or actions have been stopped. */
  begin(attempt: Try, bounds: { readonly tries: number; readonly callsPerMinute: number; readonly afterN: number }): Promise<boolean>;
  /** Runs that have acted, or would have, and did anything since; the last one first. Lane time, ms. */
  acted(sinceMs: number): Promise<readonly ActedRun[]>;
  /** Every queue that any event has named. */
  knownQueues(): Promise<readonly RunQueueName[]>;
}
