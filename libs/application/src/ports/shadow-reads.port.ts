import type { Action, JobRef } from '#libs/domain';

/** Verdicts of a stretch of time, counted. Cost: the verdicts of that time. */
export interface ShadowReads {
  /** Would-haves and acts that were first said within the last `sinceMs` of lane time. */
  counts(scope: ShadowScope): Promise<readonly ShadowCount[]>;
  /** Of each queue and action, the newest that turned out wrong. */
  wrongOnes(scope: ShadowScope, most: number): Promise<readonly WrongExample[]>;
}

export interface ShadowScope {
  readonly namespace: string;
  readonly queue?: string;
  readonly sinceMs: number;
}

/** Verdicts that have all of this in common. */
export interface ShadowCount {
  readonly namespace: string;
  readonly queue: string;
  readonly action: Action;
  readonly kind: 'would-have' | 'act';
  /** At which it was said, or done. */
  readonly level: string;
  readonly decision: string;
  readonly grade: 'open' | 'confirmed' | 'wrong';
  readonly verdict: string | null;
  readonly thresholdSource: string | null;
  readonly leastMs: number | null;
  readonly mostMs: number | null;
  readonly count: number;
}

export interface WrongExample {
  readonly id: string;
  readonly ref: JobRef;
  readonly action: Action;
  readonly kind: 'would-have' | 'act';
  readonly attempt: number;
  readonly verdict: string | null;
  readonly reason: string;
  readonly thresholdSource: string | null;
  readonly thresholdMs: number | null;
  readonly firstMs: number;
  readonly gradedMs: number;
}
