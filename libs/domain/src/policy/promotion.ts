import type { Level } from './queue-policy.js';

/** How verdicts of one action of one queue were graded. */
export interface Graded {
  readonly confirmed: number;
  readonly wrong: number;
}

/** 97.5 % quantile of the normal distribution: a two-sided interval of 95 %. */
const Z = 1.959_963_984_540_054;

/**
 * Lower end of the Wilson score interval for the share that was right: Wilson, E. B. (1927), Probable inference, the law
 * of succession, and statistical inference, JASA 22, 209–212, without continuity correction. It keeps its word for few
 * verdicts and for shares near 1, where the usual ± does not: of 20 right out of 20 it says 0.84, not 1.
 * null: nothing is graded.
 */
export function wilsonLowerBound({ confirmed, wrong }: Graded): number | null {
  const n = confirmed + wrong;
  if (n === 0) return null;
  // Exactly, where rounding would leave a little more than nothing.
  if (confirmed === 0) return 0;
  const share = confirmed / n;
  const z2 = Z * Z;
  const centre = share + z2 / (2 * n);
  const spread = Z * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  return Math.max(0, (centre - spread) / (1 + z2 / n));
}

/** What has to be graded, and how well, before the next level is suggested. At approve a person still looks at each. */
export const PROMOTION = {
  approve: { graded: 20, lowerBound: 0.8 },
  act: { graded: 20, lowerBound: 0.95 },
} as const;

export type PromotionCode = 'met' | 'at_act' | 'too_few' | 'bound_too_low' | 'unsafe';

export interface Promotion {
  /** The level that comes next; null: there is none above. */
  readonly next: 'approve' | 'act' | null;
  /** `met`: it is suggested; else why not. */
  readonly code: PromotionCode;
}

/** One step at a time, observe → approve → act. `safe`: running a job twice does no harm, or cannot happen. */
export function promotionOf(level: Level, graded: Graded, safe: boolean): Promotion {
  if (level === 'act') return { next: null, code: 'at_act' };
  const next = level === 'observe' ? 'approve' : 'act';
  const rule = PROMOTION[next];
  if (graded.confirmed + graded.wrong < rule.graded) return { next, code: 'too_few' };
  if ((wilsonLowerBound(graded) ?? 0) < rule.lowerBound) return { next, code: 'bound_too_low' };
  return next === 'act' && !safe ? { next, code: 'unsafe' } : { next, code: 'met' };
}
