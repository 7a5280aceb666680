import { describe, expect, it } from 'vitest';
import type { JobWrite } from '#libs/application';
import { emptyAttempt, emptyState, GRANTED_BY_CLAIM, type Decision, type JobState, type QueuedFact } from '#libs/domain';
import { createMetrics, HotKeys } from '#libs/observability';
import { waitOf } from './counted-traffic.js';
import { countCommitted } from './measured-log.js';

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

describe('what comes in and begins', () => {
  const NONE = { succeeded: 0, failed: 0, lost: 0, deadLettered: 0, anomalies: 0, runTimes: [] };
  const fact = (of: object) => ({ event: { kind: 'fact', fact: { source: 's', id: '1', ...of } } });
  const start = (type: 'claimed' | 'started', attempt: number) => fact({ type, attempt, laneMs: 4_000, worker: { id: 'w' } });
  const write = (queue: string, state: JobState, ...events: readonly object[]) =>
    ({ job: { ref: { namespace: 'default', queue, id: 'j' }, state }, events, verdicts: [], held: null, before: NONE, after: NONE }) as unknown as JobWrite;

  it('is counted by queue, each job and each attempt once, with how long it waited', async () => {
    const metrics = createMetrics({ process: false });
    const refused = { event: { kind: 'decision', decision: { kind: 'write-refused', n: 1, attempt: 1, laneMs: 5_000 } } };
    countCommitted(
      metrics,
      [
        write('mails', job({ 1: 4_000 }), fact(queued(1_000)), start('claimed', 1), start('started', 1)),
        write('mails', job({ 1: 4_000 }), fact(queued(1_000)), refused),
        // Heard of again.
        write('mails', job({ 1: 3_000 }), start('started', 1)),
        write('bills', job({ 2: 4_000 }), start('started', 2)),
      ],
      new HotKeys(),
    );
    const text = await metrics.registry.metrics();
    const figure = (name: string, queue: string) => Number(new RegExp(`^${name}\\{queue="${queue}"\\} (.+)$`, 'mu').exec(text)?.[1]);
    const of = (queue: string) => ['worker_jobs_queued_total', 'worker_attempts_started_total', 'worker_writes_refused_total', 'worker_job_wait_seconds_count', 'worker_job_wait_seconds_sum'].map((name) => figure(name, queue));
    expect(of('mails')).toEqual([2, 1, 1, 1, 3]);
    expect(of('bills')).toEqual([0, 1, 0, Number.NaN, Number.NaN]);
  });
});
