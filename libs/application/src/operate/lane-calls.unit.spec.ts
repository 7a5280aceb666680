import { describe, expect, it } from 'vitest';
import { RetryableError } from '../ports/errors.js';
import type { LaneReading } from '../ports/lane-clock.port.js';
import type { PartitionSource } from '../ports/lane-desk.port.js';
import type { LaneRow } from '../ports/read-models.port.js';
import { LaneCalls } from './lane-calls.js';

const NAME = 'kafka/jobwarden.events/0';
const HOUR = 3_600_000;
const STOPPED: LaneRow = {
  lane: 2,
  name: NAME,
  next: 5,
  readMs: 1,
  gapEndMs: 0,
  endAt: null,
  stopped: 'records were deleted',
  holds: true,
};

const broker = (low: number, high: number): PartitionSource => ({
  topic: 'jobwarden.events',
  look: () => Promise.resolve([{ name: NAME, low, high, origin: 'cluster' }]),
});

function callsOn(lane: Partial<LaneRow>, source: PartitionSource | null) {
  const done: unknown[] = [];
  const row = { ...STOPPED, ...lane };
  const calls = new LaneCalls({
    desk: {
      seek: (of, to) => Promise.resolve(void done.push([of, to])),
      hold: (of, holds) => Promise.resolve(void done.push([of, holds])),
    },
    reads: { lanes: () => Promise.resolve([row]) },
    clock: { read: () => Promise.resolve({ nowMs: HOUR } as LaneReading) },
    source,
  });
  return { calls, done };
}

describe('seeking', () => {
  it.each([
    ['earliest', 10],
    ['latest', 90],
    [10, 10],
    [90, 90],
  ] as const)('to %s goes on at %d, in the cluster that was asked', async (to, next) => {
    const { calls, done } = callsOn({}, broker(10, 90));
    expect(await calls.seek(NAME, to)).toMatchObject({ kind: 'done' });
    expect(done).toEqual([[2, { next, origin: 'cluster' }]]);
  });

  it.each([
    [9, broker(10, 90), 'offset_out_of_range'],
    [91, broker(10, 90), 'offset_out_of_range'],
    ['latest', null, 'no_broker'],
    ['latest', { topic: 't', look: () => Promise.resolve([]) }, 'partition_unknown'],
    ['latest', { topic: 't', look: () => Promise.reject(new RetryableError('away', 'away')) }, 'broker_unavailable'],
  ] as const)('to %s is refused where it would only stop the lane again: %#', async (to, source, code) => {
    const { calls, done } = callsOn({}, source);
    expect(await calls.seek(NAME, to)).toMatchObject({ kind: 'refused', code });
    expect(done).toEqual([]);
  });

  it('does not take up a lane by the way that was given up', async () => {
    const { calls, done } = callsOn({ holds: false }, broker(10, 90));
    expect(await calls.seek(NAME, 'latest')).toMatchObject({ code: 'lane_retired' });
    expect(done).toEqual([]);
  });
});

describe('retiring', () => {
  it('is for what is not read any more, or with force', async () => {
    const old = callsOn({}, null);
    expect(await old.calls.retire(NAME)).toMatchObject({ kind: 'done' });
    expect(old.done).toEqual([[2, false]]);
    const read = callsOn({ readMs: HOUR - 1_000 }, null);
    expect(await read.calls.retire(NAME)).toMatchObject({ code: 'lane_is_read' });
    expect(read.done).toEqual([]);
    await read.calls.retire(NAME, { force: true });
    expect(read.done).toEqual([[2, false]]);
  });

  it('is taken back, needs no broker, and is not for HTTP', async () => {
    const { calls, done } = callsOn({ holds: false }, null);
    await calls.unretire(NAME);
    expect(done).toEqual([[2, true]]);
    expect(await calls.retire('kafka/none/0')).toMatchObject({ code: 'lane_unknown' });
    expect(await callsOn({ name: 'http' }, null).calls.retire('http')).toMatchObject({ code: 'lane_without_positions' });
  });
});
