import { describe, expect, it } from 'vitest';
import { failureTone, standingOf } from './attention';
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
    ['some fail', { recent: { succeeded: 94, failed: 6, medianMs: 200 } }],
    ['well', { recent: { succeeded: 96, failed: 4, medianMs: 200 } }],
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

describe('where it can be seen', () => {
  it.each([
    ['/stuck?namespace=default&queue=mail', { held: 4 }],
    ['/stuck?namespace=default&queue=mail', { stuck: 1 }],
    ['/incidents?namespace=default&tab=refused', { refusedRevisions: ['v2'] }],
    [undefined, {}],
  ] as const)('is %s for %j', (to, changed) => {
    expect(standingOf({ ...well, ...changed } as OverviewQueue).to).toBe(to);
  });
});

describe('how bad failures are', () => {
  it.each([
    [null, 1, 2],
    [null, 19, 19],
    ['bad', 5, 20],
    ['warn', 1, 20],
    ['ok', 0, 20],
  ] as const)('is %s for %d of %d', (tone, failed, ended) => {
    expect(failureTone(failed, ended)).toBe(tone);
  });
});
