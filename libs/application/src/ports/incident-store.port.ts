import type { IncidentIdentity, IncidentKind, IncidentStatus, IncidentStep } from '#libs/domain';
import type { Page, PageOf } from './read-models.port.js';

/**
 * Incidents, as the database keeps them. A step is numbered within its incident, and with a number of its shard like an
 * event of a job: taken last in the transaction and held to the commit, so order of numbers is order of commits.
 */
export interface IncidentStore {
  /**
   * One transaction: the incident of this id, or the open one of this identity, locked, or null; then the step that
   * `decide` answers. Of two at once the second sees what the first one did; also when both find none. A step to `null`
   * makes the incident. `decide` must be pure. Throws RetryableError when the database is away.
   */
  change<T>(which: IncidentIdentity | { readonly id: string }, decide: DecideStep<T>): Promise<T>;
  /** As {@link change}, where what it rests on stands, which is looked at in the same transaction; else nothing is written, and null. */
  changeOn<T>(ground: StepGround, identity: IncidentIdentity, decide: DecideStep<T>): Promise<T | null>;
  /** The open ones of a kind. */
  open(kind: IncidentKind): Promise<readonly OpenIncident[]>;
  /** How many are open, by kind; also kinds of other versions of the program. */
  openCounts(): Promise<ReadonlyMap<string, number>>;
}

/**
 * What a step rests on. Whoever has judged may have been halted before he says so: by then others may have said it, and
 * it may be over, and said to be over. It is locked to the commit, so a step never follows what has ended before it.
 */
export type StepGround =
  /** That recovery of a queue is held since then, or, null, no more; and incidents do not know it yet. They do with the step. */
  | { readonly rests: 'on-blackout'; readonly queue: { readonly namespace: string; readonly queue: string }; readonly sinceMs: number | null }
  /** That one of these signals still fires, and nobody has taken it up or put it off. */
  | { readonly rests: 'on-signals'; readonly ids: readonly string[] }
  /** That a lane is read: neither stopped nor given up. */
  | { readonly rests: 'on-lane'; readonly name: string };

export type DecideStep<T> = (
  found: StoredIncident | null,
  atMs: number,
) => {
  /** null: nothing is written. */
  readonly step: IncidentStep | null;
  /** What the caller hears, of the incident as it is then; null: there is none. */
  readonly result: (incident: StoredIncident | null) => T;
};

export interface StoredIncident {
  readonly id: string;
  /** One of {@link IncidentKind}, or of another version of the program. */
  readonly kind: string;
  readonly subject: string;
  /** null: of the whole installation. */
  readonly queue: { readonly namespace: string; readonly queue: string } | null;
  readonly steps: readonly IncidentStep[];
}

export type OpenIncident = Omit<StoredIncident, 'steps'>;

export interface IncidentReads {
  /** Newest first. */
  list(filter: IncidentFilter, page: Page): Promise<PageOf<IncidentRow>>;
  /** null: there is none, or it is too long ago. */
  one(id: string): Promise<StoredIncident | null>;
  /** Of these incidents, in one go. Of those that are over only the steps by which they are told in a list. */
  runsOf(ids: readonly string[]): Promise<ReadonlyMap<string, ListedRun>>;
}

export interface ListedRun {
  readonly steps: readonly IncidentStep[];
  /** At most three, the saturated ones first. */
  readonly queues: readonly { readonly namespace: string; readonly queue: string }[];
  readonly queueCount: number;
}

export interface IncidentFilter {
  /** Of these, by the incident's queue or by one of its run's; those of the whole installation are left out. */
  readonly namespaces: readonly string[] | 'all';
  /** Whose list it is: a run with a queue outside of these is left out. Default: `all`. */
  readonly seenBy?: readonly string[] | 'all';
  readonly status?: IncidentStatus;
  readonly kind?: string;
  /** As it was assessed last. */
  readonly cause?: string;
  /** The incident's queue, or one of its run's. */
  readonly queue?: string;
}

export interface IncidentRow extends OpenIncident {
  readonly status: IncidentStatus;
  readonly summary: string;
  readonly openedMs: number;
  readonly resolvedMs: number | null;
  /** What it comes from, as it was assessed last; null: it was not. */
  readonly cause: string | null;
}
