import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DecisionKind } from '../events/decisions.js';
import { planRerun } from '../plan/plan-rerun.js';
import type { Subject } from '../plan/plan-types.js';
import { viewOf, type JobStatus } from '../view/view.js';
import type { Violation } from './world-invariants.fixture.js';
import { choices, rules } from '../events/histories.fixture.js';
import { rest, settle, walk } from './world-walk.fixture.js';
import { REAL, type Code, type Rules } from './world.fixture.js';

/**
 * Random walks through a small world over the real code. What the walks must never see is listed in the witness; each
 * rule of the service that is let go must be missed by one of them.
 */
/** One seed: the same walks on every machine, so that a failure is one for everybody. */
const options = { seed: 20_26, numRuns: 1_500, endOnFailure: true };

function violationsOf(r: Rules, steps: readonly number[]): Violation[] {
  const world = walk(r, steps);
  rest(world);
  settle(world);
  return [...world.witness.violations];
}

describe('whoever delays, repeats, reorders or dies', () => {
  it('every invariant of the protocol holds, and every job can still come to an end', () => {
    fc.assert(
      fc.property(rules, choices, (r, steps) => {
        expect(violationsOf(r, steps)).toEqual([]);
      }),
      options,
    );
  });

  it('the walks see every status and every decision of the reconciler: they are no empty promise', () => {
    const statuses = new Set<JobStatus>();
    const kinds = new Set<DecisionKind>();
    for (const [r, steps] of fc.sample(fc.tuple(rules, choices), { ...options, numRuns: 300 })) {
      const world = walk(r, steps);
      for (const status of world.witness.statuses) statuses.add(status);
      for (const { kind } of world.decisions) kinds.add(kind);
    }
    expect([...statuses].sort()).toEqual([
      ...['cancelled', 'dead-lettered', 'failed', 'incomplete', 'processing', 'queued', 'requeued'],
      ...['restart-requested', 'retrying', 'succeeded'],
    ]);
    expect([...kinds].sort()).toEqual([
      ...['cancelled', 'dead-lettered', 'held-incomplete', 'redriven', 'republished', 'requeued', 'restart-requested'],
      ...['restart-withdrawn', 'retry-scheduled', 'stop-requested', 'write-refused'],
    ]);
  });
});

describe('a twin', () => {
  const { decideClaim, evolve, planOf, takeIn } = REAL;
  const wrong = (code: Partial<Code>): Partial<Rules> => ({ code: { ...REAL, ...code } });
  const twins: [string, Partial<Rules>, Violation][] = [
    ['a decider that does not check the row’s version', { rowCheck: false }, 'number_used_twice'],
    ['a decider that does not check the lease', { leaseCheck: false }, 'recovery_under_a_live_lease'],
    ['a reconciler that looks beyond the watermark', { watermark: false }, 'recovery_over_an_unread_sign'],
    ['an intake that gives no stop to a late start', { stops: false }, 'out_without_a_stop'],
    ['a publisher that does not look again', { publishCheck: false }, 'command_after_the_end'],
    [
      'an intake that accepts every late fact',
      wrong({ takeIn: (_, fact) => ({ outcome: 'accepted', fact, then: [] }) }),
      'two_claimed_successes',
    ],
    [
      'a claim that looks at no lease',
      wrong({ decideClaim: (s, r, c) => decideClaim(overdue(s), r, c) }),
      'recovery_under_a_live_lease',
    ],
    [
      'a claim that redeems what is redeemed',
      wrong({ decideClaim: (s, r, c) => decideClaim(forgetful(s), r, c) }),
      'redeemed_twice',
    ],
    [
      'a plan that forgets how often it has retried',
      wrong({ planOf: (s, at) => planOf({ ...s, limits: { ...s.limits, maxRetries: 9 } }, at) }),
      'more_grants_than_retries',
    ],
    [
      'a plan that takes a dead letter for one more failure',
      wrong({ planOf: (s, at) => (s.view.status === 'dead-lettered' ? planRerun(s, AT_ONCE) : planOf(s, at)) }),
      'left_the_end_by_itself',
    ],
    [
      'a plan that stops nobody',
      wrong({ planOf: (s, at) => (s.view.finished ? null : planOf(s, at)), takeIn: (s, f) => takeIn(s, f, NO_STOPS) }),
      'out_without_a_stop',
    ],
    [
      'a fold that lets the last report win',
      wrong({
        evolve: (state, event) => {
          const attempt = event.kind === 'fact' && 'attempt' in event.fact ? event.fact.attempt : undefined;
          const found = attempt === undefined ? undefined : state.attempts.get(attempt);
          if (found !== undefined) found.outcome = null;
          evolve(state, event);
        },
      }),
      'order_decides',
    ],
  ];

  it.each(twins)('is caught: %s', (_, broken, violation) => {
    const found = fc.check(
      fc.property(rules, choices, (r, steps) => !violationsOf({ ...r, ...broken }, steps).includes(violation)),
      options,
    );
    expect(found.failed).toBe(true);
    expect(found.counterexample).not.toBeNull();
  });
});

/** Nobody has begun it. */
function forgetful(subject: Subject): Subject {
  const state = { ...subject.state, attempts: new Map([...subject.state.attempts].filter(([, a]) => a.outcome !== null)) };
  return { ...subject, state, view: viewOf(state) };
}

function overdue(subject: Subject): Subject {
  return { ...subject, lease: { beatMs: 0, leaseMs: 0 }, limits: { ...subject.limits, graceMs: 0 } };
}

const AT_ONCE = { reason: 'failed', dueMs: 0, waitsFor: 'decision' } as const;
const NO_STOPS = { stopsAllowed: false };
