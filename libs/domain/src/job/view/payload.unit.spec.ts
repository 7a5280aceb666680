import { describe, expect, it } from 'vitest';
import type { Decision } from '../events/decisions.js';
import { evolve } from '../fold/fold.js';
import { stateFromJson, stateToJson } from '../fold/state-json.js';
import { emptyState } from '../fold/state.js';
import { patchesOf, payloadOf } from './payload.js';

const body = (n: number) => ({ hash: String(n).repeat(64), bytes: n });
const patched = (n: number, attempt: number): Decision => ({ n, kind: 'patched', attempt, reason: 'r', by: 'ada', laneMs: n, payload: body(n) });

describe('the payload of an attempt', () => {
  const stateOf = (...decisions: readonly Decision[]) => {
    const state = emptyState();
    evolve(state, { kind: 'fact', fact: { type: 'queued', source: 's', id: 'q', laneMs: 1, payload: body(9) } });
    for (const decision of decisions) evolve(state, { kind: 'decision', decision });
    return stateFromJson(stateToJson(state));
  };

  it('is the last that was set by hand before it, and that of `queued` before', () => {
    const state = stateOf(patched(3, 2), patched(1, 1));
    expect([1, 2, 3, undefined].map((attempt) => payloadOf(state, attempt))).toEqual([body(9), body(1), body(3), body(3)]);
    expect(patchesOf(state).map(({ n }) => n)).toEqual([1, 3]);
    expect(payloadOf(emptyState())).toBeUndefined();
  });
});
