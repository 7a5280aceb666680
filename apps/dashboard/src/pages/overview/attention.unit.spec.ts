import { describe, expect, it } from 'vitest';
import { standingOf } from './attention';
import type { OverviewQueue } from './overview-query';

const well: OverviewQueue = {
  namespace: 'default',
  queue: 'mail',
  waiting: 3,
  running: 2,
  stuck: 0,
  held: 0,
  deadLettered: 0,
  oldestAgeMs: null,
  recent: { succeeded: 100, failed: 0, medianMs: 200 },
  usualMedianMs: 180,
  waitingHistory: [],
  failureHistory: [],
  medianHistory: [],
  levels: { retry: 'observe', requeue: 'observe', deadLetter: 'observe', throttle: 'observe', rollback: 'observe' },
  gate: 'open',
};

describe('the first thing to say about a queue', () => {
  it.each([
    ['well', {}],
    ['stuck', { stuck: 1 }],
    ['failing', { recent: { succeeded: 70, failed: 30, medianMs: 200 } }],
    ['well', { recent: { succeeded: 1, failed: 1, medianMs: 200 } }],
    ['slow', { recent: { succeeded: 100, failed: 0, medianMs: 900 } }],
    ['held', { held: 4, gate: 'paused' }],
    ['paused', { gate: 'paused' }],
    ['blackout', { recovery: 'blackout', stuck: 5 }],
    ['refused', { refusedRevisions: ['v2'] }],
  ] as const)('is %s for %j', (text, changed) => {
    expect(standingOf({ ...well, ...changed } as OverviewQueue).text).toBe(text);
  });
});
