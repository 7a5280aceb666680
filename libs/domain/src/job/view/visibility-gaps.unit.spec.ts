import { describe, expect, it } from 'vitest';
import type { Decision } from '../events/decisions.js';
import type { StartedFact } from '../events/facts.js';
import { foldJob, type JobEvent } from '../fold/fold.js';
import type { Lease } from '../plan/plan-types.js';
import { visibilityGaps } from './visibility-gaps.js';

const started = (attempt: number, laneMs: number, leaseMs?: number): JobEvent => ({
  kind: 'fact',
  fact: { type: 'started', source: 's', id: `s${String(attempt)}-${String(laneMs)}`, laneMs, attempt, worker: { id: `w${String(attempt)}` }, ...(leaseMs !== undefined && { leaseMs }) } as StartedFact,
});
const decision = (n: number, kind: Decision['kind'], attempt: number, laneMs: number, more: Partial<Decision> = {}): JobEvent => ({
  kind: 'decision',
  decision: { n, kind, attempt, laneMs, reason: 'lost', by: 'jobwarden', ...more },
});
const succeeded = (attempt: number, laneMs: number): JobEvent => ({ kind: 'fact', fact: { type: 'succeeded', source: 's', id: `e${String(attempt)}`, laneMs, attempt } });

function gapsOf(events: readonly JobEvent[], { attempt = 1, processing = false, nowMs = 10_000, leases = [] as readonly (readonly [number, Lease])[] } = {}) {
  return visibilityGaps(foldJob(events), new Map(leases), { attempt, processing, nowMs });
}

describe('the visibility gaps of a job', () => {
  const lost = [started(1, 1_000, 500), decision(1, 'restart-requested', 1, 1_900, { seenMs: 1_200 })];

  it('go from the end of the lease to the next start, or to the heartbeat that withdrew the suspicion', () => {
    expect(gapsOf([...lost, decision(2, 'requeued', 2, 2_000), started(2, 2_400), succeeded(2, 3_000)], { attempt: 2 })).toEqual([{ attempt: 1, fromMs: 1_700, untilMs: 2_400 }]);
    expect(gapsOf([...lost, decision(2, 'restart-withdrawn', 1, 2_100)])).toEqual([{ attempt: 1, fromMs: 1_700, untilMs: 2_100 }]);
  });

  it('are open while nobody has been heard of', () => {
    expect(gapsOf([...lost, decision(2, 'requeued', 2, 2_000)])).toEqual([{ attempt: 1, fromMs: 1_700, untilMs: null }]);
    expect(gapsOf([started(1, 1_000, 500)], { processing: true })).toEqual([{ attempt: 1, fromMs: 1_500, untilMs: null }]);
    expect(gapsOf([started(1, 1_000, 500)], { processing: true, leases: [[1, { beatMs: 9_800, leaseMs: 500 }]] })).toEqual([]);
  });

  it('begin no later than the decision, also where nobody named a lease', () => {
    expect(gapsOf([started(1, 1_000), decision(1, 'restart-requested', 1, 1_900, { seenMs: 1_200 })])).toEqual([{ attempt: 1, fromMs: 1_900, untilMs: null }]);
  });

  it('are none where a restart was asked for, or what runs takes too long', () => {
    expect(gapsOf([started(1, 1_000, 500), decision(1, 'restart-requested', 1, 1_900, { seenMs: 1_200, reason: 'hung' }), decision(2, 'restart-requested', 1, 2_000, { reason: 'by hand' })])).toEqual([]);
  });
});
