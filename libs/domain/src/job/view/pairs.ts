import { anomaliesOf, type AnomalyCode } from './anomalies.js';
import { DECISION_KINDS, JOBWARDEN, type Decision, type DecisionKind } from '../events/decisions.js';
import type { Fact } from '../events/facts.js';
import { foldJob, type JobEvent } from '../fold/fold.js';
import { tokenOf } from '../events/token.js';
import { viewOf, type JobStatus } from './view.js';

/**
 * The table of pairs: a job of which exactly two events are known, for every two facts, every fact and decision, and
 * every two decisions, the first with the lower number. Most of these jobs can exist only for as long as the rest of
 * their events is under way, which is when it matters that nobody has to guess.
 */
export interface Pair {
  readonly first: string;
  readonly second: string;
  readonly events: readonly [JobEvent, JobEvent];
}

export interface Judgement {
  readonly status: JobStatus;
  readonly anomalies: readonly AnomalyCode[];
}

const DAY_MS = 86_400_000;
const START_MS = 1_000 * DAY_MS;
const END_MS = START_MS + 1_000;

type FactShape = Fact extends infer F ? (F extends Fact ? Omit<F, 'source' | 'id' | 'laneMs'> : never) : never;

const worker = { id: 'w1' };
const error = { class: 'Error', message: 'no' };
const start = (attempt: number, timeMs = START_MS): FactShape => ({ type: 'started', attempt, worker, timeMs });
const failure = (attempt: number, retryable: boolean): FactShape => ({
  type: 'failed',
  attempt,
  error,
  retryable,
  timeMs: END_MS,
});
const byQueue = (shape: FactShape): FactShape => ({ ...shape, ownerQueue: true }) as FactShape;

const FACTS: readonly (readonly [name: string, shape: FactShape])[] = [
  ['queued', { type: 'queued' }],
  ['claimed 1', { type: 'claimed', attempt: 1, worker, timeMs: START_MS, claimId: 'c1' }],
  ['started 1', start(1)],
  ['started 1 (by its clock after any end)', start(1, END_MS + DAY_MS)],
  ['started 1 (by its clock 500 days earlier)', start(1, START_MS - 500 * DAY_MS)],
  ['released 1', { type: 'released', attempt: 1 }],
  ['lease-renewal-failed 1', { type: 'lease-renewal-failed', attempt: 1, reason: 'timeout' }],
  ['succeeded 1', { type: 'succeeded', attempt: 1, timeMs: END_MS }],
  ['failed 1', failure(1, true)],
  ['failed 1 (for good)', failure(1, false)],
  ['cancelled (a request after the end)', { type: 'cancelled' }],
  ['started 2', start(2)],
  ['succeeded 2', { type: 'succeeded', attempt: 2, timeMs: END_MS }],
  ['failed 2', failure(2, true)],
  ['failed 2 (for good)', failure(2, false)],
  ['started 2 (owner: queue)', byQueue(start(2))],
  ['failed 2 (owner: queue)', byQueue(failure(2, true))],
  ['failed 2 (for good, owner: queue)', byQueue(failure(2, false))],
];

export const FACT_NAMES: readonly string[] = FACTS.map(([name]) => name);

/** A grant is of the next attempt, every other decision is about the first. */
const attemptOf = (kind: DecisionKind): number => (kind === 'requeued' ? 2 : 1);
export const decisionName = (kind: DecisionKind): string => `${kind} ${String(attemptOf(kind))}`;

function fact(shape: FactShape, id: string): JobEvent {
  return { kind: 'fact', fact: { ...shape, source: 'app', id, laneMs: 0 } as Fact };
}

function decision(kind: DecisionKind, n: number): JobEvent {
  const attempt = attemptOf(kind);
  const token = kind === 'requeued' ? { token: tokenOf(0, attempt) } : {};
  const made: Decision = { n, kind, attempt, reason: 'lost', by: JOBWARDEN, laneMs: 0, ...token };
  return { kind: 'decision', decision: made };
}

export function factPairs(): Pair[] {
  return FACTS.flatMap(([first, a], i) =>
    FACTS.slice(i).map(([second, b]): Pair => ({ first, second, events: [fact(a, '1'), fact(b, '2')] })),
  );
}

export function factDecisionPairs(): Pair[] {
  return FACTS.flatMap(([first, shape]) =>
    DECISION_KINDS.map((kind): Pair => ({ first, second: decisionName(kind), events: [fact(shape, '1'), decision(kind, 1)] })),
  );
}

export function decisionPairs(): Pair[] {
  return DECISION_KINDS.flatMap((a) =>
    DECISION_KINDS.map(
      (b): Pair => ({ first: decisionName(a), second: decisionName(b), events: [decision(a, 1), decision(b, 2)] }),
    ),
  );
}

export function judge(events: readonly JobEvent[]): Judgement {
  const state = foldJob(events);
  return { status: viewOf(state).status, anomalies: [...new Set(anomaliesOf(state).map((a) => a.code))] };
}

const INTRO = `# Every pair of facts and decisions

Generated; do not edit. What a job is of which exactly these two events are known, in whatever order they arrive. The
number after an event is its attempt. A fact marked *owner: queue* was taken in while the queue itself granted attempts.
Two facts of one name are two events with ids of their own; the same event twice is nothing new.
`;

/** The table as a Markdown page. */
export function pairsTable(): string {
  const sections = [
    section('Two facts', ['fact', 'fact'], factPairs()),
    section('A fact and a decision', ['fact', 'decision'], factDecisionPairs()),
    section('Two decisions', ['lower number', 'higher number'], decisionPairs()),
  ];
  return [INTRO, ...sections].join('\n');
}

function section(title: string, [first, second]: readonly [string, string], pairs: readonly Pair[]): string {
  const rows = pairs.map((pair) => {
    const { status, anomalies } = judge(pair.events);
    return `| ${pair.first} | ${pair.second} | ${status} | ${anomalies.join(', ')} |`;
  });
  return [`## ${title}\n`, `| ${first} | ${second} | status | anomalies |`, '|---|---|---|---|', ...rows, ''].join('\n');
}
