import { isCurrent, operatorDrafts, saidBy } from '#libs/application';
import { decideClaim, evolve, planOf, takeIn } from '#libs/domain';

/** The code that is explored. A broken variant brings a wrong one, or lets go of a rule of the world around it. */
export interface Code {
  readonly evolve: typeof evolve;
  readonly takeIn: typeof takeIn;
  readonly planOf: typeof planOf;
  readonly decideClaim: typeof decideClaim;
  readonly isCurrent: typeof isCurrent;
  readonly saidBy: typeof saidBy;
  readonly operatorDrafts: typeof operatorDrafts;
}

export const REAL: Code = { evolve, takeIn, planOf, decideClaim, isCurrent, saidBy, operatorDrafts };

/** What the application and the database hold to around that code. */
export interface Rules {
  /** A decider that read an older row appends nothing. */
  readonly rowCheck: boolean;
  /** Nor one that read an older lease. */
  readonly leaseCheck: boolean;
  /** Deadlines that something unread could clear count up to how far the lanes have been read. */
  readonly watermark: boolean;
  /** A command goes out for what is committed. */
  readonly commitFirst: boolean;
  /** The invalidation is acknowledged before its command is sent. */
  readonly invalidationFirst: boolean;
  /** The checkpoint moves on when the command has been sent. */
  readonly sendFirst: boolean;
  /** (job, source, id) is unique in the log. */
  readonly uniqueIds: boolean;
  /** A late start of what is over is told to stop. */
  readonly stopsAllowed: boolean;
  readonly code: Code;
}

export const SOUND: Rules = {
  ...{ rowCheck: true, leaseCheck: true, watermark: true, commitFirst: true, invalidationFirst: true },
  ...{ sendFirst: true, uniqueIds: true, stopsAllowed: true },
  code: REAL,
};
