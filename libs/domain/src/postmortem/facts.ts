import type { OutcomeCounts } from '../cause/outcome-counts.js';
import type { IncidentStep } from '../incident/incident.js';

/** What a postmortem is made of. Lane times in ms; nothing here is somebody's opinion. */
export interface PostmortemFacts {
  readonly incident: {
    readonly id: string;
    readonly kind: string;
    readonly subject: string;
    readonly queue: { readonly namespace: string; readonly queue: string } | null;
    readonly steps: readonly IncidentStep[];
  };
  /** Since when more failed than was usual; null: that was not to be seen, or is too long ago. */
  readonly beganMs: number | null;
  /** Of the queues concerned: `before` while all went well, `during` from the beginning to the end. null: too long ago. */
  readonly counts: { readonly before: CountedSpan; readonly during: CountedSpan } | null;
  /** Of attempts that succeeded, over the same spans. Kept by time only where a queue has workers of more than one release. */
  readonly runTimes: { readonly before: RunTimes | null; readonly during: RunTimes | null };
  /** Jobs that waited at most, of all queues concerned together. null: nobody looked at that time, or it is too long ago. */
  readonly depth: { readonly before: number | null; readonly during: number | null; /** That one of the signals named. */ readonly signalled: number | null };
  /** Commands that ran jobs again in that time; null: too many to be counted have gone out since. */
  readonly again: RanAgain | null;
  /** Of the queues concerned, as they stand now. */
  readonly jobs: {
    /** Jobs that do not stand as succeeded and came to where they stand in that time. */
    readonly byStatus: Readonly<Record<string, number>>;
    readonly examples: readonly AffectedJob[];
    readonly waiting: number;
  };
  readonly deadLetters: { readonly letters: number; readonly patterns: readonly { readonly says: string; readonly letters: number }[] };
  /** That told of it. */
  readonly signals: readonly { readonly source: string; readonly startsMs: number; readonly seenMs: number }[];
  /** Other incidents that were open in that time, by kind: gaps of what could be seen. */
  readonly beside: Readonly<Record<string, number>>;
  /** Of traced jobs that came to where they stand in that time and have not succeeded, at most 1,000 of them. */
  readonly traces: TracedJobs;
}

export interface RunTimes {
  readonly attempts: number;
  /** Upper edges of buckets, at most 19 % too long. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Each command that went out by what became of the invalidation of its own requeue; and what waits for an operator. */
export interface RanAgain {
  readonly commands: number;
  /** Acknowledged before it went out. */
  readonly invalidated: number;
  /** Its job names no cache keys, so none was made. */
  readonly withoutKeys: number;
  readonly parkedInvalidations: number;
  readonly parkedCommands: number;
}

export interface TracedJobs {
  readonly seen: number;
  /** Not finished: their traces are not completed. */
  readonly withoutEnd: number;
  /** Stretches from the end of a lease to the next sign of life that began in that time. */
  readonly gaps: { readonly count: number; readonly open: number; readonly longestMs: number };
}

export interface CountedSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly counts: OutcomeCounts;
}

export interface AffectedJob {
  readonly namespace: string;
  readonly queue: string;
  readonly id: string;
  readonly status: string;
}

/** What people have added. */
export interface PostmortemState {
  /** The newest of each item. */
  readonly answers: readonly PostmortemAnswer[];
  /** null: nobody has signed it. */
  readonly signature: { readonly by: string; readonly atMs: number; readonly note: string | null } | null;
  /** The oldest. */
  readonly followUps: readonly FollowUp[];
  /** How many there are beyond these. */
  readonly moreFollowUps: number;
}

export interface PostmortemAnswer {
  readonly item: string;
  readonly answer: string;
  readonly by: string;
  readonly atMs: number;
}

/** `lesson`: what was learned; `task`: what is to be done. Both are listed until somebody says that it is done. */
export const FOLLOW_UP_KINDS = ['task', 'lesson'] as const;
export type FollowUpKind = (typeof FOLLOW_UP_KINDS)[number];

export interface FollowUp {
  readonly id: string;
  readonly incidentId: string;
  readonly kind: FollowUpKind;
  readonly text: string;
  /** Who is to see to it; null: nobody was named. */
  readonly owner: string | null;
  readonly addedBy: string;
  readonly addedMs: number;
  readonly done: { readonly by: string; readonly atMs: number; readonly note: string | null } | null;
}
