import { describe, expect, it } from 'vitest';
import { decided, failed, queued, renewalFailed, started, succeeded } from '../events/events.fixture.js';
import type { JobEvent } from '../fold/fold.js';
import { MAX_STARTS } from '../fold/state.js';
import { gist, planFor } from './subject.fixture.js';

const w = (id: string, incarnation?: string) => ({ worker: { id, ...(incarnation !== undefined && { incarnation }) } });

function stopsFor(...events: readonly JobEvent[]): string {
  return gist(planFor(events)).replace(/^at \d+ after decision: /, '');
}

describe('a finished job', () => {
  it('rests when everyone who started it has ended', () => {
    expect(planFor([queued(), started(), succeeded()])).toBeNull();
    expect(planFor([queued(), started(1, w('a')), succeeded(1, w('a'))])).toBeNull();
  });

  it('stops every worker that started and has not itself ended', () => {
    const lost = [queued(), started(1), decided(1, 'restart-requested'), decided(2, 'requeued', 2), started(2)];
    expect(stopsFor(...lost, succeeded(2))).toBe('stop-requested 1 (finished)');
    expect(stopsFor(...lost, failed(1), succeeded(2))).toBe('rests');
  });

  it('stops the other worker of an attempt that two have started', () => {
    const two = [queued(), started(1, w('a')), started(1, w('b'))];
    expect(stopsFor(...two, succeeded(1, w('a')))).toBe('stop-requested 1 (finished)');
    expect(stopsFor(...two, succeeded(1))).toBe('stop-requested 1 (finished)');
  });

  it('knows a restarted worker from its former self, where both are named', () => {
    expect(stopsFor(queued(), started(1, w('a', '1')), succeeded(1, w('a', '2')))).toBe('stop-requested 1 (finished)');
    expect(stopsFor(queued(), started(1, w('a', '1')), succeeded(1, w('a')))).toBe('rests');
    expect(stopsFor(queued(), started(1, w('a')), succeeded(1, w('a', '1')))).toBe('rests');
  });

  it('stops an attempt that more have started than are kept: who ended cannot speak for those', () => {
    const same = Array.from({ length: MAX_STARTS }, (_, i) => started(1, w('a', String(i))));
    expect(stopsFor(queued(), ...same, succeeded(1, w('a')))).toBe('rests');
    expect(stopsFor(queued(), ...same, started(1, w('z')), succeeded(1, w('a')))).toBe('stop-requested 1 (finished)');
  });

  it('stops the open grant too, whose command may be in flight, the very first one included', () => {
    expect(stopsFor(queued(), decided(1, 'cancelled'))).toBe('stop-requested 1 (finished)');
    const open = [queued(), started(1), decided(1, 'requeued', 2), succeeded(1)];
    expect(stopsFor(...open)).toBe('stop-requested 2 (finished)');
    expect(stopsFor(decided(1, 'cancelled'))).toBe('rests');
  });

  it('stops who was only seen to fail at renewing a lease', () => {
    expect(stopsFor(queued(), renewalFailed(), decided(1, 'cancelled'))).toBe('stop-requested 1 (finished)');
  });

  it('asks each attempt once', () => {
    const cancelled = [queued(), started(), decided(1, 'cancelled')];
    expect(stopsFor(...cancelled)).toBe('stop-requested 1 (finished)');
    expect(stopsFor(...cancelled, decided(2, 'stop-requested'))).toBe('rests');
  });

  it('stops at every level what was ended by hand, and otherwise only at act, without a word below it', () => {
    const byHand = planFor([queued(), started(), decided(1, 'discarded')]);
    expect(byHand?.planned).toMatchObject({ action: null });
    const dead = planFor([queued(), started(), decided(1, 'dead-lettered')]);
    expect(dead?.planned).toMatchObject({ action: 'requeue', silent: true });
  });
});
