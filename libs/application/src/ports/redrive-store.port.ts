import type { JobRef } from '#libs/domain';
import type { Page, PageOf } from './read-models.port.js';

/** Which dead letters of one queue. What is left out is not asked for. */
export interface RedriveFilter {
  readonly namespace: string;
  readonly queue: string;
  /** Those whose newest death is of this pattern. */
  readonly patternId?: string;
  readonly kind?: string;
  /** Reason of the dead letter: `failed`, `lost`, `poison_pill` … */
  readonly diedOf?: string;
}

export const REDRIVE_STATUSES = ['running', 'stopped', 'finished'] as const;
export type RedriveStatus = (typeof REDRIVE_STATUSES)[number];

/** Many dead letters on their way round again. */
export interface RedriveRun {
  readonly id: string;
  readonly filter: RedriveFilter;
  readonly perSecond: number;
  /** Beyond `maxRedrives` too. */
  readonly force: boolean;
  readonly by: string;
  readonly reason: string;
  /** Lane time, ms: what dies later is not meant. */
  readonly startedMs: number;
  readonly endedMs: number | null;
  /** null: nobody has, or it is not known who. */
  readonly stoppedBy: string | null;
  readonly status: RedriveStatus;
  /** As counted at its start. */
  readonly wanted: number;
  readonly redriven: number;
  readonly refused: number;
  /** By code: `max_redrives`, `already_succeeded` … */
  readonly refusals: Readonly<Record<string, number>>;
}

/** A step that is this caller's for some seconds. */
export interface RedriveStep {
  readonly run: RedriveRun;
  /** Whose it is: another one once somebody else has taken it. */
  readonly claim: string;
  readonly next: readonly RedriveCandidate[];
}

export interface RedriveCandidate {
  readonly ref: JobRef;
  /** Where it stands in the order in which they died. */
  readonly sinceMs: number;
  readonly keyHex: string;
}

export interface RedriveProgress {
  readonly redriven: number;
  readonly refusals: Readonly<Record<string, number>>;
  /** The last of them. */
  readonly upTo: Pick<RedriveCandidate, 'sinceMs' | 'keyHex'>;
}

/** Runs of many redrives. Rows only: what a redrive does is decided under each job's lock. */
export interface RedriveStore {
  /** Dead letters that the filter finds now. */
  count(filter: RedriveFilter): Promise<number>;
  /** The first of them in the order in which they died, with their state as it is stored. */
  ahead(filter: RedriveFilter, limit: number): Promise<readonly { readonly kind: string | null; readonly state: string }[]>;
  /** null: there is no such queue. */
  start(filter: RedriveFilter, run: Pick<RedriveRun, 'perSecond' | 'force' | 'by' | 'reason' | 'wanted'>): Promise<RedriveRun | null>;
  /** The next dead letters, a second's worth, of a run that nobody else is at; null: there is none. */
  takeStep(): Promise<RedriveStep | null>;
  /** Whether the step is this caller's still, and the run goes on. Asked before each part of it: he may have been halted since. */
  goesOn(step: RedriveStep): Promise<boolean>;
  /** Notes what became of some of a step's. How far the run has come only moves forward, whoever says so. */
  note(id: string, progress: RedriveProgress): Promise<void>;
  /** Lets go of the run until its next second, where it is this caller's. `over`: there is nothing left to do. A run that was stopped meanwhile stays stopped. */
  endStep(step: RedriveStep, how: { readonly over: boolean }): Promise<void>;
  /** null: there is no such run, or it is over. */
  stop(id: string, by: string): Promise<RedriveRun | null>;
  one(id: string): Promise<RedriveRun | null>;
  /** Newest first. */
  list(scope: { readonly namespace: string; readonly queue?: string }, page: Page): Promise<PageOf<RedriveRun>>;
}
