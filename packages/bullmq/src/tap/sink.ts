import type { TapFact } from './facts.js';

export interface Beat {
  readonly queue: string;
  readonly id: string;
  readonly attempt: number;
  /** What is left of the lock, ms. */
  readonly leaseMs: number;
  readonly progress?: unknown;
}

/** Where a tap's facts go. */
export interface Sink {
  tell(facts: readonly TapFact[]): void;
  /** Locks of one worker that live. */
  beat(workerId: string, jobs: readonly Beat[]): void;
  state(queue: string, state: { readonly waiting: number; readonly paused: boolean; readonly oldestAgeMs?: number }): void;
  /** Resolves when there is room for more, or when `signal` is aborted: until then nothing more is read. */
  room(signal: AbortSignal): Promise<void>;
}

/** A run that Jobwarden takes for unfinished. */
export interface KnownRun {
  readonly id: string;
  readonly attempt: number;
}

/** Jobwarden's unfinished runs of a queue, in pages. */
export type KnownRuns = (queue: string, signal: AbortSignal) => AsyncIterable<readonly KnownRun[]>;
