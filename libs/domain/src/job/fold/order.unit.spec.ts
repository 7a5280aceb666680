import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anomaliesOf } from '../view/anomalies.js';
import { contributionOf } from '../view/contribution.js';
import { CODECS } from './codecs.js';
import { evolve, foldJob, type JobEvent } from './fold.js';
import { foldByArrival } from './arrival.fixture.js';
import { histories, worlds } from '../events/histories.fixture.js';
import { planOf } from '../plan/plan.js';
import { soups } from '../events/soup.fixture.js';
import type { JobState } from './state.js';
import { stateFromJson, stateToJson, storedText } from './state-json.js';
import { subjectOf } from '../plan/subject.fixture.js';
import { viewOf } from '../view/view.js';

const options = { seed: 20_26, numRuns: 1_000 };
const sources = { 'histories as deciders make them': histories, 'soups that no decider would make': soups };

/** Everything that can be asked of a state, as text; the decision that bears by its number. */
function allOf(state: JobState): string {
  const view = viewOf(state);
  const shown = { ...view, bearing: view.bearing?.n };
  return JSON.stringify([stateToJson(state), shown, anomaliesOf(state), contributionOf(state, view)]);
}

/** A set of events as it may arrive: in any order, and anything any number of times. */
function arrivals(events: readonly JobEvent[]): fc.Arbitrary<JobEvent[]> {
  const everything = fc.shuffledSubarray([...events], { minLength: events.length });
  const repeats = events.length === 0 ? fc.constant([]) : fc.array(fc.constantFrom(...events), { maxLength: 8 });
  return fc
    .tuple(everything, repeats, fc.nat())
    .map(([all, more, at]) => all.toSpliced(at % (all.length + 1), 0, ...more));
}

function orderFree(source: fc.Arbitrary<JobEvent[]>, judge: (events: readonly JobEvent[]) => string) {
  const sets = source.chain((events) => fc.tuple(fc.constant(events), arrivals(events)));
  return fc.property(sets, ([events, arrived]) => judge(arrived) === judge(events));
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

describe.each(Object.entries(sources))('a row over %s', (_, source) => {
  it('is a function of the set of its events: any order and any repetition give the same', () => {
    fc.assert(
      orderFree(source, (events) => allOf(foldJob(events))),
      options,
    );
  });

  it('is the same whichever part comes first, and whether or not it was stored in between', () => {
    const cut = fc.tuple(source, fc.infiniteStream(fc.boolean()));
    fc.assert(
      fc.property(cut, ([events, coin]) => {
        const first: JobEvent[] = [];
        const second: JobEvent[] = [];
        for (const event of events) (coin.next().value ? first : second).push(event);
        const whole = allOf(foldJob(events));
        for (const parts of [[first, second], [second, first]] as const) {
          for (const { version } of CODECS) {
            const stored = stateFromJson(storedText(foldJob(parts[0]), version));
            for (const event of parts[1]) evolve(stored, event);
            expect(allOf(stored)).toBe(whole);
          }
          expect(allOf(foldJob(parts.flat()))).toBe(whole);
        }
      }),
      options,
    );
  });

  it('changes no event that it folds', () => {
    fc.assert(
      fc.property(source, (events) => {
        const before = JSON.stringify(events);
        foldJob(events.map(frozen));
        expect(JSON.stringify(events)).toBe(before);
      }),
      { ...options, numRuns: 200 },
    );
  });

  it('has one plan: asking changes nothing, and the same question has the same answer', () => {
    fc.assert(
      fc.property(source, fc.nat({ max: 9_999 }), (events, atMs) => {
        const subject = subjectOf(events, { lease: { beatMs: atMs % 7, leaseMs: null } });
        const before = stateToJson(subject.state);
        const plan = JSON.stringify(planOf(subject, atMs));
        expect(JSON.stringify(planOf(subject, atMs))).toBe(plan);
        expect(stateToJson(subject.state)).toBe(before);
        const again = subjectOf([...events].reverse(), { lease: { beatMs: atMs % 7, leaseMs: null } });
        expect(JSON.stringify(planOf(again, atMs))).toBe(plan);
      }),
      { ...options, numRuns: 400 },
    );
  });

  it('is told from a twin that looks at arrival: its counterexample is found', () => {
    const found = fc.check(orderFree(source, foldByArrival), options);
    expect(found.failed).toBe(true);
    expect(found.counterexample).not.toBeNull();
  });
});

describe('along a history', () => {
  it('tokens and attempts only rise', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const state = foldJob([]);
        let last = viewOf(state);
        for (const event of events) {
          evolve(state, event);
          const next = viewOf(state);
          expect(next.attempt).toBeGreaterThanOrEqual(last.attempt);
          expect(next.token).toBeGreaterThanOrEqual(last.token);
          if (next.attempt > last.attempt) expect(next.token).toBeGreaterThan(last.token);
          last = next;
        }
      }),
      options,
    );
  });

  it('a finished job stays as it is, unless it is redriven or a success comes after its dead letter', () => {
    fc.assert(
      fc.property(worlds, ({ log }) => {
        const state = foldJob([]);
        let before = viewOf(state);
        let redriven = false;
        for (const event of log) {
          evolve(state, event);
          const after = viewOf(state);
          redriven = event.kind === 'decision' && (event.decision.kind === 'redriven' || (redriven && event.decision.kind === 'requeued'));
          const success = before.status === 'dead-lettered' && after.status === 'succeeded';
          if (before.finished && !redriven && !success) expect(after.status).toBe(before.status);
          before = after;
        }
      }),
      options,
    );
  });
});
