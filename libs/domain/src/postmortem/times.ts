import type { PostmortemFacts } from './facts.js';

/** Lane times and durations, ms; null: it has not come to that, or the beginning is not known. */
export interface PostmortemTimes {
  readonly beganMs: number | null;
  readonly openedMs: number;
  readonly isolatedMs: number | null;
  /** Verified, with the queues let in again; where neither was asked for, resolved. */
  readonly restoredMs: number | null;
  readonly resolvedMs: number | null;
  /** From the beginning to the opening. */
  readonly detectMs: number | null;
  /** From the opening on. */
  readonly isolateMs: number | null;
  readonly restoreMs: number | null;
}

export function timesOf({ incident: { steps }, beganMs }: PostmortemFacts): PostmortemTimes {
  const at = (type: string): number | null => steps.findLast((step) => step.type === type)?.atMs ?? null;
  const openedMs = steps[0]?.atMs ?? 0;
  const isolatedMs = steps.find((step) => step.type === 'isolated')?.atMs ?? null;
  const resolvedMs = at('resolved');
  const letIn = steps.findLast(({ type, evidence }) => type === 'readmitting' && evidence?.['percent'] === 100)?.atMs ?? null;
  const restoredMs = letIn ?? at('verified') ?? resolvedMs;
  const since = (ms: number | null): number | null => (ms === null ? null : Math.max(0, ms - openedMs));
  return {
    ...{ beganMs, openedMs, isolatedMs, restoredMs, resolvedMs },
    detectMs: beganMs === null ? null : Math.max(0, openedMs - beganMs),
    isolateMs: since(isolatedMs),
    restoreMs: since(restoredMs),
  };
}
