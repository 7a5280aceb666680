import { emptyState, limitsOf, stateFromJson, stateToJson, viewOf } from '#libs/domain';
import type { Decision, Fact, JobEvent, JobLimits, JobState, JobStatus, JobView, QueuePolicy } from '#libs/domain';
import type { Code } from './code.js';

/** One row of the projection, with a set of events that folds to it. */
export interface Row {
  readonly id: number;
  readonly json: string;
  readonly state: JobState;
  readonly view: JobView;
  readonly limits: JobLimits;
  readonly log: readonly JobEvent[];
  /** The instants that can still matter, sorted; all others are {@link PAST}. */
  readonly times: readonly number[];
  readonly swapped: { id: number };
}

/** Stands for every instant that nothing will be counted from any more. */
export const PAST = 1;

/**
 * The rows that have been met. There are far fewer of them than states of the world, so each is folded and read once, and
 * a state names it by its number. A row is written through its text, as in the database.
 */
export class Rows {
  private readonly rows: Row[] = [];
  private readonly byJson = new Map<string, Row>();
  private readonly appended = new Map<string, Row>();
  private readonly moved = new Map<string, Row>();

  constructor(
    private readonly code: Pick<Code, 'evolve'>,
    private readonly policy: QueuePolicy,
    /** Called once for each row that an event has made, so that its events can be folded in other orders. */
    private readonly met: (row: Row) => void,
  ) {
    this.intern(emptyState(), []);
  }

  get size(): number {
    return this.rows.length;
  }

  at(id: number): Row {
    return this.rows[id]!;
  }

  fold(events: readonly JobEvent[]): JobState {
    const state = emptyState();
    for (const event of events) this.code.evolve(state, event);
    return state;
  }

  append(row: Row, events: readonly JobEvent[]): Row {
    const key = `${row.id}${JSON.stringify(events)}`;
    let next = this.appended.get(key);
    if (next === undefined) {
      const state = stateFromJson(row.json);
      for (const event of events) this.code.evolve(state, event);
      const known = this.rows.length;
      next = this.intern(state, [...row.log, ...events]);
      this.appended.set(key, next);
      if (this.rows.length > known) this.met(next);
    }
    return next;
  }

  /** The same row with `times` moved to `to`, which keeps their order, and everything else in the {@link PAST}. */
  moveTo(row: Row, to: readonly number[]): Row {
    const key = `${row.id}:${to.join()}`;
    let next = this.moved.get(key);
    if (next === undefined) {
      const move = (ms: number): number => to[row.times.indexOf(ms)] ?? PAST;
      const log = row.log.map((event) => timed(event, matters(event, row.view) ? move : () => PAST));
      next = this.intern(this.fold(log), log);
      this.moved.set(key, next);
    }
    return next;
  }

  /** The same row with the two workers' names exchanged. */
  swap(row: Row): Row {
    if (row.swapped.id < 0) {
      const log = row.log.map(swapWorkers);
      const other = this.intern(this.fold(log), log);
      row.swapped.id = other.id;
      other.swapped.id = row.id;
    }
    return this.at(row.swapped.id);
  }

  private intern(state: JobState, log: readonly JobEvent[]): Row {
    const json = stateToJson(state);
    const known = this.byJson.get(json);
    if (known !== undefined) return known;
    const view = viewOf(state);
    const row: Row = {
      ...{ id: this.rows.length, json, state, view, log, swapped: { id: -1 } },
      limits: limitsOf(state, this.policy, {}, null),
      times: timesOf(log, state, view),
    };
    this.rows.push(row);
    this.byJson.set(json, row);
    return row;
  }
}

/**
 * The instants that something can still be counted from, by what the job waits for. Of starts and releases only the last
 * one counts; everything that is said of another attempt, or of a job that is over, is past.
 */
function instantsOf({ attempts }: JobState, { status, attempt, bearing }: JobView): ReadonlySet<number> {
  const { lastStartMs = null, releasedMs = null, outcome = null } = attempts.get(attempt) ?? {};
  const signs = [lastStartMs, releasedMs];
  const kept: Partial<Record<JobStatus, readonly (number | null | undefined)[]>> = {
    processing: signs,
    'restart-requested': [...signs, bearing?.laneMs, bearing?.seenMs],
    incomplete: [...signs, bearing?.laneMs, bearing?.seenMs],
    failed: [outcome?.laneMs],
    retrying: [bearing?.dueMs],
  };
  return new Set((kept[status] ?? []).filter((ms) => ms != null));
}

/** May the event's instants be of those? */
function matters(event: JobEvent, view: JobView): boolean {
  if (view.finished) return false;
  if (event.kind === 'fact') return 'attempt' in event.fact && event.fact.attempt === view.attempt;
  return event.decision.n === view.bearing?.n || (event.decision.kind === 'republished' && event.decision.attempt === view.attempt);
}

function timesOf(log: readonly JobEvent[], state: JobState, view: JobView): number[] {
  const times = new Set<number>(instantsOf(state, view));
  if (view.status === 'requeued') for (const event of log) if (matters(event, view)) timed(event, (ms) => (times.add(ms), ms));
  return [...times].sort((a, b) => a - b);
}

export function timed(event: JobEvent, move: (ms: number) => number): JobEvent {
  if (event.kind === 'fact') return { kind: 'fact', fact: { ...event.fact, laneMs: move(event.fact.laneMs) } };
  return { kind: 'decision', decision: timedDecision(event.decision, move) };
}

export function timedDecision<T extends Partial<Decision>>(decision: T, move: (ms: number) => number): T {
  const { laneMs, seenMs, dueMs } = decision;
  return {
    ...decision,
    ...(laneMs !== undefined && { laneMs: move(laneMs) }),
    ...(seenMs !== undefined && { seenMs: move(seenMs) }),
    ...(dueMs !== undefined && { dueMs: move(dueMs) }),
  };
}

const SWAPPED: Readonly<Record<string, string>> = { a: 'b', b: 'a' };

function swapWorkers(event: JobEvent): JobEvent {
  if (event.kind === 'decision') return { kind: 'decision', decision: swapPrevious(event.decision) };
  const { fact } = event;
  if (!('worker' in fact)) return event;
  return { kind: 'fact', fact: { ...fact, worker: { ...fact.worker, id: SWAPPED[fact.worker.id] ?? '' } } as Fact };
}

export function swapPrevious<T extends Partial<Decision>>(decision: T): T {
  const { previousWorker } = decision;
  return previousWorker === undefined ? decision : { ...decision, previousWorker: { ...previousWorker, id: SWAPPED[previousWorker.id] ?? '' } };
}
