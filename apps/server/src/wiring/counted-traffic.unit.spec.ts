import { describe, expect, it } from 'vitest';
import { emptyAttempt, emptyState, GRANTED_BY_CLAIM, type Decision, type JobState, type QueuedFact } from '#libs/domain';
import { waitOf } from './counted-traffic.js';

const queued = (laneMs: number, notBeforeMs?: number): QueuedFact => ({ type: 'queued', source: 's', id: '1', laneMs, ...(notBeforeMs !== undefined && { notBeforeMs }) });
const requeued = (attempt: number, laneMs: number, reason = 'retry') => ({ kind: 'requeued', n: attempt, attempt, laneMs, reason, by: 'jobwarden' }) as unknown as Decision;

function job(starts: Readonly<Record<number, number>>, rest: Partial<JobState> = {}): JobState {
  const attempts = new Map(Object.entries(starts).map(([n, ms]) => [Number(n), { ...emptyAttempt(), firstStartMs: ms }]));
  return { ...emptyState(), queued: queued(1_000), attempts, ...rest };
}

describe('how long an attempt waited', () => {
  it('is counted from when its job was queued, or from when it was due', () => {
    expect(waitOf(job({ 1: 4_000 }), 1)).toBe(3_000);
    expect(waitOf(job({ 1: 4_000 }, { queued: queued(1_000, 3_500) }), 1)).toBe(500);
    expect(waitOf(job({ 1: 4_000 }, { queued: queued(1_000, 9_000) }), 1)).toBe(0);
  });

  it('is counted from when it was requeued', () => {
    expect(waitOf(job({ 1: 4_000, 2: 20_000 }, { decisions: [requeued(2, 15_000)] }), 2)).toBe(5_000);
  });

  it('is not known of what the queue granted itself, of what nobody queued, and of a claim that made its own grant', () => {
    expect(waitOf(job({ 1: 4_000, 2: 20_000 }), 2)).toBeNull();
    expect(waitOf(job({ 1: 4_000 }, { queued: null }), 1)).toBeNull();
    expect(waitOf(job({ 2: 4_000 }, { decisions: [requeued(2, 4_000, GRANTED_BY_CLAIM)] }), 2)).toBeNull();
    expect(waitOf(job({}), 1)).toBeNull();
  });
});
