import { describe, expect, it } from 'vitest';
import { axisOf } from './axis';
import { barsOf } from './bars';
import { at, attemptView, decisionView, jobDetail, T0 } from './job.fixture';

const gist = (job: ReturnType<typeof jobDetail>, nowMs: number) =>
  barsOf(job, T0 + nowMs).map(({ end, spans, marks }) =>
    [...spans.map(({ kind, fromMs, toMs }) => `${kind} ${String(fromMs - T0)}-${String(toMs - T0)}`), ...marks.map(({ end: kind, atMs }) => `${kind}@${String(atMs - T0)}`), end].join(', '),
  );

describe('the bar of an attempt', () => {
  it('shows a run under its lease: heard of, silent so far, and what is left', () => {
    const running = attemptView(1, { startedAt: at(1_000), lastBeatAt: at(3_000), leaseEndsAt: at(9_000) });
    expect(gist(jobDetail({ attempts: [running] }), 5_000)).toEqual(['waiting 0-1000, held 1000-3000, silent 3000-5000, lease 5000-9000, running']);
    expect(gist(jobDetail({ attempts: [running] }), 10_000)).toEqual(['waiting 0-1000, held 1000-3000, silent 3000-9000, overdue 9000-10000, overdue']);
  });

  it('shows one that was lost until the next was given, and what was heard of it beside that', () => {
    const job = jobDetail({
      status: 'succeeded',
      attempt: 2,
      since: at(9_000),
      attempts: [
        attemptView(1, { outcome: 'succeeded', startedAt: at(1_000), endedAt: at(9_500), overlapMs: 2_500 }),
        attemptView(2, { outcome: 'succeeded', startedAt: at(7_000), endedAt: at(9_000) }),
      ],
      decisions: [
        decisionView(1, 'restart-requested', 1, 4_000, { evidence: { lastSignMs: T0 + 2_000, dueMs: T0 + 3_500 } }),
        decisionView(2, 'requeued', 2, 6_000),
      ],
    });
    expect(gist(job, 20_000)).toEqual([
      'waiting 0-1000, held 1000-2000, silent 2000-3500, overdue 3500-4000, grace 4000-6000, overlap 7000-9500, lost@4000, succeeded@9500, succeeded',
      'waiting 6000-7000, held 7000-9000, succeeded@9000, succeeded',
    ]);
  });

  it('takes a request that was withdrawn for none', () => {
    const job = jobDetail({
      attempts: [attemptView(1, { startedAt: at(0), lastBeatAt: at(5_000) })],
      decisions: [decisionView(1, 'restart-requested', 1, 3_000), decisionView(2, 'restart-withdrawn', 1, 4_000, { reason: 'heartbeat' })],
    });
    expect(gist(job, 6_000)).toEqual(['held 0-5000, running']);
  });

  it('shows an attempt that nobody has begun as waiting, and one that began and failed at once as well', () => {
    const job = jobDetail({
      status: 'requeued',
      attempt: 2,
      attempts: [attemptView(1, { outcome: 'failed', startedAt: at(10), endedAt: at(10) }), attemptView(2, { workers: [] })],
      decisions: [decisionView(1, 'retry-scheduled', 1, 20), decisionView(2, 'requeued', 2, 100)],
    });
    expect(gist(job, 300)).toEqual(['waiting 0-10, held 10-10, failed@10, failed', 'waiting 100-300, waiting']);
  });
});

describe('the axis of time', () => {
  const held = (fromMs: number, toMs: number) => ({ kind: 'held', fromMs, toMs }) as const;

  it('is even where there is always something', () => {
    const axis = axisOf([held(0, 4_000), held(4_000, 8_000)]);
    expect([axis.at(0), axis.at(4_000), axis.at(8_000)]).toEqual([0, 50, 100]);
    expect(axis.gaps).toEqual([]);
  });

  it('leaves out hours in which a job only waited, and says how many', () => {
    const axis = axisOf([{ kind: 'waiting', fromMs: 0, toMs: 3_600_000 }, held(3_600_000, 3_604_000)]);
    expect(axis.gaps).toMatchObject([{ ms: 3_600_000 }]);
    expect(axis.at(3_600_000)).toBeLessThan(10);
    expect(axis.at(3_604_000)).toBe(100);
  });

  it('keeps the order of all instants', () => {
    const axis = axisOf([held(0, 10), held(500_000, 500_010)], [900_000]);
    const places = [-5, 0, 10, 300_000, 500_000, 500_010, 900_000, 1_000_000].map((ms) => axis.at(ms));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places.every((place) => place >= 0 && place <= 100)).toBe(true);
  });

  it('has room for a job of which only an instant is known', () => {
    expect(axisOf([held(5, 5)]).at(5)).toBe(0);
  });
});
