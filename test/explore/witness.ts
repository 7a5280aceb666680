import { JOBWARDEN, retriesUsed, type Decision, type DecisionDraft, type Fact, type JobEvent, type JobState, type JobView } from '#libs/domain';
import { notExercised, type Invariant } from './invariants.js';
import { unpackMessage } from './messages.js';
import { otherFold } from './orders.js';
import type { Row, Rows } from './rows.js';
import type { Scenario } from './scenario.js';
import type { World } from './world.js';

const RECOVERY: ReadonlySet<string> = new Set([
  ...['retry-scheduled', 'held-incomplete', 'restart-requested', 'restart-withdrawn', 'requeued', 'republished', 'dead-lettered'],
]);

/**
 * Watches the steps. It knows the invariants and none of the rules: what a decision rests on is asked here of the world,
 * not of the plan that made it.
 */
export class Witness {
  /** By the step that is being taken. */
  readonly found = new Set<Invariant>();
  readonly exercised = notExercised();

  constructor(private readonly scenario: Scenario) {}

  /** What the invariant is about is there. */
  expect(invariant: Invariant, holds: boolean): void {
    this.exercised[invariant] += 1;
    if (!holds) this.found.add(invariant);
  }

  met(row: Row, rows: Rows): void {
    if (row.log.length > 1) this.expect('order', otherFold(row.log, row.json, (events) => rows.fold(events)) === null);
  }

  heldByWatermark(): void {
    this.exercised.unread += 1;
  }

  repeated(): void {
    this.exercised.repeat += 1;
  }

  appendedTwice(): void {
    this.found.add('repeat');
  }

  accepted(world: World, fact: Fact, { state }: Row): void {
    if (fact.type !== 'succeeded' || this.scenario.mode !== 'claims') return;
    const others = [...state.attempts].some(([n, a]) => n !== fact.attempt && a.succeeded);
    this.expect('oneSuccess', !others);
    this.expect('lastEffect', world.sink <= fact.attempt);
  }

  appending({ view }: Row, events: readonly JobEvent[]): void {
    let { n, attempt, token } = view;
    for (const event of events) {
      if (event.kind !== 'decision') continue;
      const { decision } = event;
      this.expect('numbers', decision.n === n + 1);
      n = decision.n;
      if (decision.kind !== 'requeued') continue;
      this.expect('grants', decision.attempt > attempt);
      this.expect('tokens', decision.token !== undefined && decision.token > token);
      attempt = decision.attempt;
      token = decision.token ?? token;
    }
  }

  committed(before: Row, after: Row, events: readonly JobEvent[]): void {
    const was = before.view;
    const is = after.view;
    if (is.token < was.token) this.found.add('tokens');
    if (events.some((e) => isDecision(e, 'requeued'))) this.expect('retries', retriesUsed(after.state) <= this.scenario.retries);
    const redriven = events.some((e) => isDecision(e, 'redriven'));
    if (redriven) this.expect('redrive', !is.finished);
    const succeededLate = was.status === 'dead-lettered' && is.status === 'succeeded';
    if (was.finished && !redriven && !succeededLate) this.expect('finished', is.status === was.status);
  }

  /** A reconciler, or a claim, is about to append these. `dueMs`: the deadline that they rest on, where they rest on one. */
  deciding(world: World, { state, view }: Row, drafts: readonly DecisionDraft[], dueMs: number | null): void {
    for (const draft of drafts) {
      if (!RECOVERY.has(draft.kind)) continue;
      this.expect('finished', !view.finished);
      if (draft.by === JOBWARDEN) this.decidingAlone(world, state, draft, view);
      if (dueMs !== null && draft.kind !== 'restart-withdrawn') {
        if (world.flight !== 0) this.expect('unread', !(isOf(world.flight, view.attempt) && world.since < dueMs));
      }
    }
  }

  private decidingAlone(world: World, state: JobState, draft: DecisionDraft, { attempt: current, status, bearing }: JobView): void {
    const attempt = state.attempts.get(current);
    const outcome = attempt?.outcome ?? null;
    if (restsOnSilence(draft) && outcome === null && attempt?.releasedMs == null) {
      const signMs = Math.max(world.beat, attempt?.lastStartMs ?? 0);
      this.expect('liveLease', signMs + 1 <= world.now);
    }
    if (draft.kind === 'retry-scheduled') this.expect('forGood', outcome?.kind !== 'failed-for-good');
    if (draft.kind !== 'requeued' || outcome === null) return;
    this.expect('forGood', outcome.kind !== 'failed-for-good');
    if (status === 'retrying') this.expect('backoff', (bearing?.dueMs ?? 0) <= world.now);
    if ((status === 'failed' || status === 'incomplete') && outcome.kind === 'failed') this.expect('backoff', outcome.laneMs + 1 <= world.now);
  }

  atRest(finished: boolean, restsUnscheduled: boolean): void {
    if (!finished) this.expect('schedule', !restsUnscheduled);
  }
}

function isDecision(event: JobEvent, kind: Decision['kind']): boolean {
  return event.kind === 'decision' && event.decision.kind === kind;
}

function isOf(code: number, attempt: number): boolean {
  const message = unpackMessage(code);
  return message.attempt === attempt && !message.known;
}

/** Lost, by a reconciler or by a claim that saw what one would. */
function restsOnSilence({ reason, evidence, kind }: DecisionDraft): boolean {
  return kind !== 'restart-withdrawn' && (reason === 'lost' || evidence?.['because'] === 'lost');
}
