import { describe, expect, it } from 'vitest';
import type { JobAccess, JobWrite, LockedJob, WriteRequest } from '#libs/application';
import { contributionOf, emptyState, viewOf } from '#libs/domain';
import { RememberedRows } from './remembered-rows.js';

function accesses(...keys: string[]): ReadonlyMap<string, JobAccess> {
  return new Map(keys.map((keyHex) => [keyHex, { ref: { namespace: 'n', queue: 'q', id: keyHex }, keyHex, eventKeys: [] }]));
}

function request(access: ReadonlyMap<string, JobAccess>, other: Partial<WriteRequest> = {}): WriteRequest {
  return { jobs: [...access.values()], lane: 0, locked: 'wait', missing: 'insert', lockLeases: false, ...other };
}

function written(keyHex: string, other: Partial<JobWrite> = {}): JobWrite {
  const state = emptyState();
  const view = viewOf(state);
  const job = { ref: { namespace: 'n', queue: 'q', id: keyHex }, keyHex, version: 3, state, verdictMarks: 0 } as LockedJob;
  const said = { verdicts: [], grades: [], settled: [], lapses: false, verdictMarks: null };
  const nothing = { leases: [], events: [], before: null, held: null, worker: null };
  const schedule = { waitsFor: null, lookAtMs: null, scheduleOnly: false };
  return { ...nothing, ...said, ...schedule, job, view, after: contributionOf(state, view), ...other };
}

describe('remembered rows', () => {
  it('are given out once, at the version that was written', () => {
    const rows = new RememberedRows();
    rows.committed([written('a')]);
    expect(rows.take('a')).toMatchObject({ version: 4, folded: { view: { status: 'queued' } } });
    expect(rows.take('a')).toBeUndefined();
  });

  it('hold nothing that is finished, was only rescheduled, or has a verdict open', () => {
    const rows = new RememberedRows();
    const keys = ['a', 'b', 'c'];
    rows.committed(keys.map((key) => written(key)));
    rows.committed([
      written('a', { view: { ...viewOf(emptyState()), finished: true } }),
      written('b', { scheduleOnly: true }),
      written('c', { grades: [{ attempt: 1, sign: 'beat' }] }),
    ]);
    expect(keys.map((key) => rows.take(key))).toEqual([undefined, undefined, undefined]);
  });

  it('serve no two batches on one job at once, nor whoever locks leases or skips what is locked', () => {
    const rows = new RememberedRows();
    const [mine, same, other] = [accesses('a', 'b'), accesses('b'), accesses('c')];
    rows.begun(mine);
    expect([same, other].map((access) => rows.suits(request(access), access))).toEqual([false, true]);
    rows.over(mine);
    expect(rows.suits(request(same), same)).toBe(true);
    for (const unlike of [{ lockLeases: true }, { locked: 'skip' }, { missing: 'ignore' }] as const) {
      expect(rows.suits(request(same, unlike), same)).toBe(false);
    }
  });

  it('pause after a wrong guess, for longer each time, until one was right', () => {
    const rows = new RememberedRows();
    const access = accesses('a');
    const paused = (): number => {
      for (let n = 0; ; n += 1) if (rows.suits(request(access), access)) return n;
    };
    const pauses = [1, 2, 3].map(() => {
      rows.failed();
      return paused();
    });
    expect(pauses).toEqual([1, 3, 7]);
    rows.succeeded();
    rows.failed();
    expect(paused()).toBe(1);
  });

  it('are forgotten when another server answers', () => {
    const rows = new RememberedRows();
    expect(rows.isOf('1')).toBe(true);
    rows.committed([written('a')]);
    expect([rows.isOf('1'), rows.isOf('2')]).toEqual([true, false]);
    expect(rows.take('a')).toBeUndefined();
  });

  it('are bounded: the longest unused ones go first', () => {
    const rows = new RememberedRows(2);
    rows.committed(['a', 'b', 'c'].map((key) => written(key)));
    expect(['a', 'b', 'c'].map((key) => rows.take(key) !== undefined)).toEqual([false, true, true]);
  });
});
