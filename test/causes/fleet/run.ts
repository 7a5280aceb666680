import type { Kind } from './terrain.js';
import type { Worker } from './worker.js';
import type { JobError } from '../log/entry.js';

export interface Job {
  readonly id: string;
  readonly queue: string;
  readonly kind: string;
  readonly of: Kind;
  /** Set where something is wrong with this very job. */
  readonly poison: boolean;
  readonly ownRetries: number | null;
  readonly queuedMs: number;
  attempt: number;
  /** The newest attempt that a worker has begun. */
  begun: number;
  /** Of them lost in a row. */
  lostInARow: number;
  retriesUsed: number;
  decisions: number;
  done: boolean;
}

/** One attempt at a worker, while it is going on. */
export interface Run {
  readonly job: Job;
  readonly attempt: number;
  readonly worker: Worker;
  readonly begunMs: number;
  memoryMb: number;
  /** Its end has been told, or nobody is left to tell it. */
  over: boolean;
  /** It has been taken for lost. */
  suspected: boolean;
  /** What it waits for, as its heartbeat tells. */
  waitsFor: { readonly resource: string; readonly holder: string | null; readonly sinceMs: number } | null;
  /** Gives back what it holds. */
  readonly held: (() => void)[];
}

/** How an attempt will end, if nothing else ends it first; `at` is a share of its run time. */
export type Fate =
  | { readonly ends: 'failed'; readonly at: number; readonly error: JobError }
  /** The worker dies without a word. */
  | { readonly ends: 'death'; readonly at: number }
  /** It goes on beyond its lease, which nobody renews. */
  | { readonly ends: 'outlives-lease'; readonly byMs: number };

/** Something that is wrong, or just different, with the fleet. Each part may be left out. */
export interface Trouble {
  fate?(run: Run, nowMs: number): Fate | null;
  /** Multiplies run times. */
  slowdown?(run: Run, nowMs: number): number;
  /** MB beyond those of its kind. */
  memory?(run: Run, nowMs: number): number;
  /** MB that its worker never gets back. */
  leak?(run: Run, nowMs: number): number;
  /** Keeps its connection for good. */
  leaksConnection?(run: Run, nowMs: number): boolean;
  /** Multiplies arrivals. */
  arrivals?(queue: string, nowMs: number): number;
  /** What it locks instead of something of its own. */
  lockKeys?(run: Run, nowMs: number): readonly string[] | null;
  loopLagMs?(worker: Worker, nowMs: number): number;
}
