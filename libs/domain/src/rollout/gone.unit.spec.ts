import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gone, heldAtZero, zeroLook, type ZeroLook } from './gone.js';
import { pods, seenOf } from './workload.fixture.js';

describe('pods of a revision', () => {
  it('are there while they stop, whatever the counters say', () => {
    const seen = seenOf({ replicas: 0, updated: 0, available: 0, pods: pods('v2', 2, { terminating: true }) });
    expect(gone(seen, 'v2')).toEqual({ gone: false, left: 2, terminating: 2 });
  });

  it('are gone while those of another run', () => {
    const seen = seenOf({ pods: pods('v1', 3) });
    expect(gone(seen, 'v2').gone).toBe(true);
    expect(gone(seen, null)).toEqual({ gone: false, left: 3, terminating: 0 });
  });
});

describe('a pool that was scaled to zero', () => {
  const look = (atMs: number, podsLeft = 0, wanted = 0): ZeroLook => ({ atMs, wanted, pods: podsLeft, writer: null });

  it('counts as isolated after three looks over 15 seconds without a pod', () => {
    expect(heldAtZero([])).toMatchObject({ state: 'waiting' });
    expect(heldAtZero([look(0), look(7_000), look(14_999)])).toMatchObject({ state: 'waiting' });
    expect(heldAtZero([look(0), look(15_000)])).toMatchObject({ state: 'waiting' });
    expect(heldAtZero([look(0), look(7_000), look(15_000)])).toEqual({ state: 'held' });
  });

  it('counts from the last pod that was seen', () => {
    expect(heldAtZero([look(0), look(5_000, 1), look(10_000), look(20_000)])).toMatchObject({ state: 'waiting' });
    expect(heldAtZero([look(0), look(5_000, 1)])).toEqual({ state: 'waiting', why: '1 pod is left' });
    expect(heldAtZero([look(0, 3), look(5_000), look(12_000), look(20_000)])).toEqual({ state: 'held' });
  });

  it('has bounced when somebody wishes for pods again, and that is named', () => {
    const seen = seenOf({ wanted: 2, writers: { release: null, replicas: { manager: 'keda-operator', atMs: 9_000 } } });
    expect(heldAtZero([look(0), zeroLook(seen, 10_000)])).toEqual({ state: 'bounced', by: 'keda-operator', wanted: 2 });
    expect(heldAtZero([look(0), look(1, 0, 2)])).toMatchObject({ state: 'bounced', by: 'unknown' });
  });

  it('is never held while any of the last 15 seconds showed a pod', () => {
    const looks = fc.array(fc.record({ step: fc.integer({ min: 1, max: 9_000 }), left: fc.constantFrom(0, 0, 0, 1) }), { maxLength: 12 });
    fc.assert(
      fc.property(looks, (steps) => {
        let atMs = 0;
        const all = steps.map(({ step, left }) => look((atMs += step), left));
        if (heldAtZero(all).state !== 'held') return;
        const recent = all.filter((one) => one.atMs > atMs - 15_000);
        expect(recent.every((one) => one.pods === 0)).toBe(true);
      }),
    );
  });
});
