import type { AttemptState, EventResult, HeldJob } from '@jobwarden/client';

/** What is answered about an attempt that was beaten for. */
export interface BeatAnswer {
  readonly queue: string;
  readonly id: string;
  readonly attempt: number;
  readonly state: AttemptState;
}

/** An attempt that is beaten for. */
export interface Held extends HeldJob {
  readonly attempt: number;
  readonly leaseMs: number;
}

/** Beats for everything that the process holds: one heartbeat for all, every third of the shortest lease. */
export interface Beats {
  /** From now on until `letGo`. The same attempt again changes what is said of it. */
  hold(held: Held): void;
  letGo(held: Pick<Held, 'queue' | 'id' | 'attempt'>): void;
  /** Beats no more. Idempotent. */
  close(): Promise<void>;
}

export interface BeatListener {
  /** Somebody has answered. */
  answered(answers: readonly BeatAnswer[]): void;
}

export function attemptKey({ queue, id, attempt }: Pick<Held, 'queue' | 'id' | 'attempt'>): string {
  return JSON.stringify([queue, id, attempt]);
}

export function answersOf(result: EventResult | null): readonly BeatAnswer[] {
  return result?.jobs ?? [];
}
