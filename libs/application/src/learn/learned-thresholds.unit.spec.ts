import { describe, expect, it } from 'vitest';
import { runTimeBucket } from '#libs/domain';
import type { QueueRunTimes } from '../ports/learned-store.port.js';
import { LearnedThresholds } from './learned-thresholds.js';

const MINUTE = 60_000;

function runs(queue: string, count: number, ms: number): QueueRunTimes {
  return { namespace: 'default', queue, all: new Map([[runTimeBucket(ms), count]]), kinds: new Map() };
}

/** Thresholds over run times that a test replaces, and the queues whose schedules were worked out again. */
function learning(...queues: QueueRunTimes[]) {
  const now = [...queues];
  const rescheduled: string[] = [];
  const thresholds = new LearnedThresholds(
    {
      runTimes: ({ after, limit }) =>
        Promise.resolve({ queues: now.slice(after, after + limit), next: after + limit < now.length ? after + limit : null }),
    },
    { page: 1, reschedule: ({ queue }) => Promise.resolve(void rescheduled.push(queue)) },
  );
  const round = async () => {
    while (await thresholds.turn());
  };
  const becomes = (queue: QueueRunTimes) => now.splice(now.findIndex((q) => q.queue === queue.queue), 1, queue);
  return { thresholds, rescheduled, round, becomes };
}

describe('learned thresholds', () => {
  it('are read a page at a time, each queue once a round', async () => {
    const { thresholds, round } = learning(runs('a', 60, MINUTE), runs('b', 60, 5 * MINUTE));
    await round();
    const ms = (queue: string) => thresholds.of({ namespace: 'default', queue }, null)?.ms ?? 0;
    expect(ms('b')).toBeGreaterThan(4 * ms('a'));
    expect(thresholds.of({ namespace: 'else', queue: 'a' }, null)).toBeNull();
  });

  it('come with what is usual of each queue, once enough is known of it', async () => {
    const { thresholds, round } = learning(runs('known', 60, MINUTE), runs('new', 49, MINUTE));
    await round();
    const [only, ...others] = thresholds.baselines();
    expect(others).toEqual([]);
    expect(only?.queue).toBe('known');
    expect(only?.p50Ms).toBeGreaterThanOrEqual(MINUTE);
    expect(only?.p99Ms).toBeLessThan(1.2 * MINUTE);
  });

  it('have each queue scheduled anew once after the start: what it was scheduled for before is not known', async () => {
    const { rescheduled, round } = learning(runs('a', 60, MINUTE), runs('b', 1, MINUTE));
    await round();
    expect(rescheduled).toEqual([]);
    await round();
    await round();
    expect(rescheduled).toEqual(['a', 'b']);
  });

  it('that shrink have their queue scheduled anew a round later, once; those that grow never', async () => {
    const { rescheduled, round, becomes } = learning(runs('a', 60, 10 * MINUTE), runs('b', 60, 10 * MINUTE));
    await round();
    await round();
    rescheduled.length = 0;
    becomes(runs('a', 60, 20 * MINUTE));
    await round();
    await round();
    expect(rescheduled).toEqual([]);
    becomes(runs('a', 60, 12 * MINUTE));
    becomes(runs('b', 60, 10 * MINUTE - 1));
    await round();
    expect(rescheduled).toEqual([]);
    await round();
    await round();
    expect(rescheduled).toEqual(['a']);
  });
});
