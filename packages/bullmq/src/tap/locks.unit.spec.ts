import { describe, expect, it } from 'vitest';
import { LockWatch } from './locks.js';
import { newRun, type Run } from './run.js';

const CONTEXT = { queue: 'emails', payload: false };
const NOW = 1_000_000;

function held(token: string | null = 'worker:1'): Run {
  const run = newRun('7', 5);
  Object.assign(run, { starts: 1, state: 'active', token });
  return run;
}

function stage(run: Run) {
  const active = new Set([run]);
  const watch = new LockWatch(CONTEXT, { active });
  const look = (token: string, leftMs: number, atMs = NOW) => watch.seen([run], new Map([['7', { token, leftMs }]]), atMs);
  return { active, watch, look };
}

describe('the lock of a run', () => {
  it('is a sign of life whose lease ends with it, once the stream was read again', () => {
    const { watch, look } = stage(held());
    look('worker:1', 20_000);
    expect(watch.beats(NOW)).toEqual([]);
    watch.mature();
    expect(watch.beats(NOW + 250)).toMatchObject([{ type: 'heartbeat', jobId: '7@5', data: { attempt: 1, leaseMs: 19_750 } }]);
    expect(watch.beats(NOW + 250)).toEqual([]);
  });

  it('is none where by then the job has been put back, has ended, or has begun again', () => {
    for (const change of [(run: Run, active: Set<Run>) => active.delete(run), (run: Run) => (run.starts += 1)]) {
      const run = held();
      const { active, watch, look } = stage(run);
      look('worker:1', 20_000);
      change(run, active);
      watch.mature();
      expect(watch.beats(NOW)).toEqual([]);
    }
  });

  it('is none where somebody else holds it', () => {
    const { watch, look } = stage(held('worker:1'));
    look('other:1', 20_000);
    watch.mature();
    expect(watch.beats(NOW)).toEqual([]);
  });

  it('is looked at again after a third of the longest that was seen', () => {
    const run = held();
    const { watch, look } = stage(run);
    expect(watch.due(NOW, 10)).toEqual([run]);
    look('worker:1', 30_000);
    look('worker:1', 15_000);
    expect(watch.due(NOW + 9_999, 10)).toEqual([]);
    expect(watch.due(NOW + 10_000, 10)).toEqual([run]);
  });

  it('is looked at in a bounded number at a time, the most overdue first', () => {
    const runs = [3, 1, 2].map((lookMs) => Object.assign(held(), { lookMs }));
    const watch = new LockWatch(CONTEXT, { active: new Set(runs) });
    expect(watch.due(NOW, 2).map((run) => run.lookMs)).toEqual([1, 2]);
  });
});
