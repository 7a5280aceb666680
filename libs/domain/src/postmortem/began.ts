/** How attempts ended in a stretch of time; `fromMs` is where it begins. */
export interface EndedIn {
  readonly fromMs: number;
  readonly bad: number;
  readonly ended: number;
}

/** Of what ended, so much has to be bad for a stretch to belong to the trouble. */
const BAD_SHARE = 0.1;
/** Stretches in a row that may look well within it: not every ten seconds show the same. */
const LULLS = 2;

/**
 * Since when more failed than was usual, going back from when it was noticed; null: it was not to be seen there. Stretches
 * in which nothing ended say nothing.
 */
export function beganMs(stretches: readonly EndedIn[], noticedMs: number): number | null {
  let began: number | null = null;
  let lull = 0;
  for (const { fromMs, bad, ended } of stretches.filter((one) => one.fromMs <= noticedMs && one.ended > 0).toReversed()) {
    if (bad / ended > BAD_SHARE) {
      began = fromMs;
      lull = 0;
    } else if ((lull += 1) > LULLS) break;
  }
  return began;
}
