/** What stands before anything goes wrong. Times in ms, memory in MB. */

export interface Kind {
  readonly name: string;
  /** Of the queue's jobs, 0 to 1; those of a queue add up to 1. */
  readonly share: number;
  readonly medianMs: number;
  readonly sigma: number;
  /** Its handler gives up then. */
  readonly timeoutMs: number;
  readonly usesDatabase: boolean;
  /** Rows or keys that it locks while it runs. */
  readonly locks: 0 | 1 | 2;
  /** Services that it asks. */
  readonly calls: readonly string[];
  readonly memoryMb: number;
}

export interface Queue {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly perSecond: number;
  /** Share by which arrivals swing, and how long a swing takes. */
  readonly wave: { readonly share: number; readonly periodMs: number; readonly phase: number };
  /** Producers that send several at once: jobs of a batch; 1 = none. */
  readonly batch: number;
  readonly maxRetries: number;
  readonly backoffMs: number;
  readonly graceMs: number;
  /** Lost so often in a row counts as a poison pill; null: only when the retries are used up. */
  readonly poisonAfter: number | null;
  readonly claims: boolean;
  /** Share of attempts that fail without anything being wrong. */
  readonly baseFailures: number;
}

/** Workers of one release: a deployment. */
export interface Pool {
  readonly name: string;
  readonly queues: readonly string[];
  readonly replicas: number;
  readonly concurrency: number;
  readonly connections: number;
  readonly leaseMs: number;
  readonly heapMb: number;
  readonly heapLimitMb: number;
  readonly revision: string;
}

/** How well the fleet tells of itself. */
export interface Telling {
  /** Share of workers that do not say their revision. */
  readonly withoutRevision: number;
  /** Share of workers whose heartbeats have no figures. */
  readonly withoutRuntime: number;
  /** Share of workers whose clock is wrong, and by how much at most. */
  readonly wrongClocks: number;
  readonly wrongByMs: number;
  /** Share of workers whose events come late, and by how much at most. */
  readonly lateWorkers: number;
  readonly lateByMs: number;
  /** Whether the native queues tell their depth. */
  readonly queueStates: boolean;
  /** Whether errors come with their codes, or with class and message alone. */
  readonly codes: boolean;
}

export interface Terrain {
  readonly queues: readonly Queue[];
  readonly pools: readonly Pool[];
  readonly telling: Telling;
  readonly lockTimeoutMs: number;
  /** Of the database, in all. */
  readonly connectionSlots: number;
  readonly poolTimeoutMs: number;
  /** How this fleet's libraries word things: one of several. */
  readonly dialect: number;
}
