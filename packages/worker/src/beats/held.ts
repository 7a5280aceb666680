import type { AttemptState, EvidenceCall, EventResult, HeldJob, LockWait } from '@jobwarden/client';

/** What is answered about an attempt that was beaten for. */
export interface BeatAnswer {
  readonly queue: string;
  readonly id: string;
  readonly attempt: number;
  readonly state: AttemptState;
}

/** What a beat is answered. */
export interface BeatAnswers {
  readonly jobs: readonly BeatAnswer[];
  /** Queues in which this release of the worker is out of service. */
  readonly refusedQueues: readonly string[];
  /** This process is asked for what it knows of itself; null: it is not. */
  readonly evidence: EvidenceCall | null;
}

/** An attempt that is beaten for. */
export interface Held extends HeldJob {
  readonly attempt: number;
  readonly leaseMs: number;
}

export type AttemptRef = Pick<Held, 'queue' | 'id' | 'attempt'>;

/** Beats for everything that the process holds: one heartbeat for all, every third of the shortest lease. */
export interface Beats {
  /** From now on until `letGo`, or until `untilMs` of the shared clock. The same attempt again changes what is said of it. */
  hold(held: Held, untilMs?: number): void;
  letGo(held: AttemptRef): void;
  /** Called by the event loop's pulse with what is waited for. */
  refresh(locks: readonly LockWait[]): void;
  /** Beats no more. Idempotent. */
  close(): Promise<void>;
}

export interface BeatListener {
  /** Somebody has answered a beat that was sent at `sentMs` of the shared clock: all leases hold since then. */
  answered(answers: BeatAnswers, sentMs: number): void;
  failed(reason: string): void;
}

export function attemptKey({ queue, id, attempt }: AttemptRef): string {
  return JSON.stringify([queue, id, attempt]);
}

export function answersOf(result: EventResult | null): BeatAnswers {
  return { jobs: result?.jobs ?? [], refusedQueues: result?.refusedQueues ?? [], evidence: result?.evidence ?? null };
}
