import fc from 'fast-check';
import { DECISION_KINDS, type Decision } from './decisions.js';
import type { CancelledFact, Fact, QueuedFact } from './facts.js';
import type { JobEvent } from '../fold/fold.js';
import { tokenOf } from './token.js';

/**
 * Soups: sets of events that no decider would have made together. Ids and numbers are unique, as the log keeps them;
 * everything else collides as often as it can.
 */
const few = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const attempt = fc.integer({ min: 1, max: 4 });
const ms = fc.integer({ min: 0, max: 6 });
const worker = fc.record(
  {
    id: fc.integer({ min: 0, max: 11 }).map((i) => `w${String(i)}`),
    incarnation: few('a', 'b'),
    revision: few('r1', 'r2'),
    track: few('canary', 'stable'),
  },
  { requiredKeys: ['id'] },
);

const base = { laneMs: ms, timeMs: maybe(ms), epoch: maybe(few(1, 2)) };
const ofAttempt = { ...base, attempt, ownerQueue: maybe(fc.constant(true)), worker: maybe(worker) };
const error = few({ class: 'A', message: 'a' }, { class: 'B', message: 'b', code: 'E1' });

const shapes = fc.oneof(
  fc.record({ type: few('queued'), ...base, kind: maybe(few('a', 'b')), maxRetries: maybe(ms), timeoutMs: maybe(ms), traceparent: maybe(few('t1')), tracestate: maybe(few('a=1')) }),
  fc.record({ type: few('started', 'claimed'), ...ofAttempt, worker, leaseMs: maybe(ms), claimId: maybe(few('c1', 'c2')), traceparent: maybe(few('t1', 't2', 't3')) }),
  fc.record({ type: few('released'), ...ofAttempt }),
  fc.record({ type: few('lease-renewal-failed'), ...ofAttempt, reason: few('timeout') }),
  fc.record({ type: few('succeeded'), ...ofAttempt, durationMs: maybe(ms) }),
  fc.record({ type: few('failed'), ...ofAttempt, error, retryable: fc.boolean(), retryAfterMs: maybe(ms) }),
  fc.record({ type: few('cancelled'), ...base, attempt: maybe(attempt) }),
);

const decisionShapes = fc.record({
  kind: few(...DECISION_KINDS),
  attempt,
  reason: few('lost', 'hung', 'failed'),
  by: few('jobwarden', 'anna'),
  laneMs: ms,
  seenMs: maybe(ms),
  dueMs: maybe(ms),
  limits: maybe(fc.record({ maxRetries: ms, timeoutMs: ms }, { requiredKeys: [] })),
  evidence: maybe(few({ why: 'x' })),
});

type Shape = typeof shapes extends fc.Arbitrary<infer T> ? T : never;

/** What is undefined is left out, as in the log. */
function present<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T;
}

function factEvent(shape: Shape, index: number): JobEvent {
  const identity = { source: `s${String(index % 3)}`, id: `e${String(index)}` };
  return { kind: 'fact', fact: { ...present(shape), ...identity } as Fact | QueuedFact | CancelledFact };
}

/** Facts in any number, decisions numbered 1, 2, 3 … in the order in which they were made up. */
export const soups: fc.Arbitrary<JobEvent[]> = fc
  .tuple(fc.array(shapes, { maxLength: 14, size: 'max' }), fc.array(decisionShapes, { maxLength: 8, size: 'max' }))
  .map(([facts, decisions]) => [
    ...facts.map(factEvent),
    ...decisions.map((d, i): JobEvent => {
      const token = d.kind === 'requeued' ? { token: tokenOf(i, d.attempt) } : {};
      return { kind: 'decision', decision: { ...present(d), ...token, n: i + 1 } as Decision };
    }),
  ]);
