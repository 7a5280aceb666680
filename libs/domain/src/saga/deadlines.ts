/** How long a run waits for what, ms of lane time. Nothing is waited for without a limit. */

/** Looks at the cause before a person is asked, and the time between two of them. */
export const ASSESSMENTS = 3;
export const ASSESS_EVERY_MS = 20_000;
/** For the window of the log to be readable. */
export const ASSESS_WITHIN_MS = 120_000;
/** A revision first seen longer ago is the stable one, whatever is wrong. */
export const STABLE_AFTER_MS = 24 * 3_600_000;
export const APPROVE_WITHIN_MS = 3_600_000;
export const THROTTLE_WITHIN_MS = 30_000;
export const EVIDENCE_WITHIN_MS = 20_000;
/** For every replica to refuse the revision, and its leases to end. What runs on is ended by the rollback, where there is a target … */
export const ISOLATE_WITHIN_MS = 60_000;
/** … and only by itself where there is none. */
export const ISOLATE_ALONE_WITHIN_MS = 600_000;
export const SCALE_WITHIN_MS = 120_000;
export const ROLL_BACK_WITHIN_MS = 120_000;
/** For the target to be readable before anything is written to it. */
export const LOOK_WITHIN_MS = 60_000;
/** For a sample of what succeeds. */
export const VERIFY_WITHIN_MS = 600_000;
/** For a signal to be over whose cause only people can mend. */
export const CALM_WITHIN_MS = 3_600_000;
/** For a drill to be ended by whoever began it. */
export const DRILL_WITHIN_MS = 600_000;

/** The same thing is tried so often … */
export const TRIES = 3;
/** … and not again sooner than this after a try that nothing came of. */
export const TRY_AGAIN_MS = 5_000;
/**
 * Writes to the cluster are counted over a minute and this more: they are counted when an act begins, and its last call may be made as much as
 * the time limit of an act later. Of two that were counted 60 s apart both might fall into one minute else.
 */
export const WRITES_WITHIN_MS = 70_000;
/** For every try, also where the policy lets so few writes a minute that each has to wait for those before it to count no more. */
export const PUT_BACK_WITHIN_MS = TRIES * WRITES_WITHIN_MS + 20_000;
/** Between two looks at what takes its time. */
export const LOOK_AGAIN_MS = 1_000;
/** Between two looks that count while a pool is held at zero: three of them over 15 s. */
export const ZERO_LOOK_EVERY_MS = 7_500;
