import { describe, expect, it } from 'vitest';
import { decided, failed, queued } from '../events/events.fixture.js';
import { gist, planFor } from './subject.fixture.js';

const requeuedAt = (laneMs: number) => [queued(), failed(), decided(1, 'requeued', 2, { laneMs })];
const copied = (n: number, laneMs: number, by = 'jobwarden') => decided(n, 'republished', 2, { laneMs, by });

describe('a job that nobody starts', () => {
  it('is starved after start-by, counted from when it may start', () => {
    expect(gist(planFor([queued({ laneMs: 100 })]))).toBe('at 700 after start: starved');
    expect(gist(planFor([queued({ laneMs: 100, notBeforeMs: 5_000 })]))).toBe('at 5600 after start: starved');
  });

  it('is reported once, then ever more rarely', () => {
    const reports: number[] = [];
    let reportedMs = 0;
    while (reports.length < 4) {
      const plan = planFor([queued()], {}, reportedMs);
      reportedMs = plan?.dueMs ?? NaN;
      reports.push(reportedMs);
    }
    expect(reports).toEqual([600, 1_200, 2_400, 4_800]);
  });

  it('is found due by whoever looks late and asks from its schedule, not from the present', () => {
    const lookAtMs = planFor([queued()])?.dueMs ?? NaN;
    expect(planFor([queued()], {}, lookAtMs - 1)?.dueMs).toBe(lookAtMs);
  });

  it('never burns an attempt: a report is all there is', () => {
    expect(planFor([queued()])?.planned).toMatchObject({ kind: 'report', threshold: { ms: 600 } });
  });
});

describe('a requeued job whose command may be lost', () => {
  it('is only reported where a copy of the command could do harm', () => {
    expect(gist(planFor(requeuedAt(100)))).toBe('at 700 after start: starved');
  });

  it.each([{ claims: 'required' }, { dedupes: true }] as const)('has its command sent again where copies are harmless (%o)', (policy) => {
    expect(gist(planFor(requeuedAt(100), { policy }))).toBe('at 700 after start: republished 2 (start_by)');
    const again = [...requeuedAt(100), copied(2, 800)];
    expect(gist(planFor(again, { policy }))).toBe('at 1400 after start: republished 2 (start_by)');
  });

  it('has it sent again three times at most, then is starved', () => {
    const thrice = [...requeuedAt(100), copied(2, 800), copied(3, 1_500), copied(4, 2_200)];
    expect(gist(planFor(thrice, { policy: { dedupes: true } }))).toBe('at 2800 after start: starved');
  });

  it('does not count what a person sent again', () => {
    const byHand = [2, 3, 4].map((n) => copied(n, 700 + n, 'anna'));
    const plan = planFor([...requeuedAt(100), ...byHand], { policy: { dedupes: true } });
    expect(gist(plan)).toBe('at 1304 after start: republished 2 (start_by)');
  });
});
