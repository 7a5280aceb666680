import { describe, expect, it } from 'vitest';
import type { FeedPartition } from '../ports/event-feed.port.js';
import type { StoredLane } from '../ports/lane-store.port.js';
import { LaneCursor, QUIET_GAP_MS } from './lane-cursor.js';
import { canBeMadeAnew, madeAnew, outOfRange } from './out-of-range.js';

const lane: StoredLane = { lane: 2, name: 'kafka/t/0', next: 10, readMs: 1_000, origin: 'c', sought: false, stopped: null };

describe('a cursor', () => {
  it('moves from what the database has, however far ticks have been read', () => {
    const cursor = new LaneCursor(lane);
    cursor.passed(cursor.moveTo(12, [1_250, 1_500]));
    expect([cursor.next, cursor.ahead]).toEqual([12, true]);
    const move = cursor.moveTo(14, [1_600]);
    expect(move).toEqual({ lane: 2, seen: 10, next: 14, readMs: 1_600, gapEndMs: 0 });
    cursor.moved(move);
    expect([cursor.next, cursor.ahead]).toEqual([14, false]);
    expect(cursor.moveTo(15, []).seen).toBe(14);
  });

  it('tells the end of the last silence, and keeps it until it is stored', () => {
    const cursor = new LaneCursor(lane);
    expect(cursor.moveTo(11, [1_000 + QUIET_GAP_MS]).gapEndMs).toBe(0);
    const [first, second] = [1_001 + QUIET_GAP_MS, 5_000 + 2 * QUIET_GAP_MS];
    expect(cursor.moveTo(11, [first]).gapEndMs).toBe(first);
    cursor.passed(cursor.moveTo(12, [first, second]));
    expect(cursor.moveTo(13, [second + 1]).gapEndMs).toBe(second);
  });

  it('takes a time in which nobody may have been heard for a silence, though there were records', () => {
    const cursor = new LaneCursor(lane);
    const unsure = cursor.moveTo(12, [1_250, 1_500], 1_500);
    expect(unsure.gapEndMs).toBe(1_500);
    cursor.passed(unsure);
    expect(cursor.moveTo(13, [1_750]).gapEndMs).toBe(1_500);
    expect(cursor.moveTo(13, [1_750], 1_200).gapEndMs).toBe(1_500);
  });

  it('knows of no silence before the first record, and of no time that runs back', () => {
    const fresh = new LaneCursor({ ...lane, readMs: 0 });
    expect(fresh.moveTo(11, [9_000_000])).toMatchObject({ readMs: 9_000_000, gapEndMs: 0 });
    expect(new LaneCursor(lane).moveTo(11, [400])).toMatchObject({ readMs: 1_000, gapEndMs: 0 });
  });

  it('does one thing after the other, also after one that failed', async () => {
    const cursor = new LaneCursor(lane);
    const done: string[] = [];
    const failing = cursor.alone(() => Promise.reject(new Error('no')));
    const second = cursor.alone(() => Promise.resolve(done.push('second')));
    expect(cursor.busy).toBe(true);
    await expect(failing).rejects.toThrow('no');
    await second;
    expect([done, cursor.busy]).toEqual([['second'], false]);
  });
});

describe('a lane goes on', () => {
  const partition: FeedPartition = { name: lane.name, low: 0, high: 100, origin: 'c' };

  it.each([
    ['in the middle', {}],
    ['at the first record that is there', { low: 10 }],
    ['at the end', { high: 10 }],
  ])('%s', (_, changes) => expect(outOfRange(lane, { ...partition, ...changes })).toBeNull());

  it.each([
    ['where records are gone', { low: 11 }, '1 records were deleted unread'],
    ['behind the end', { high: 9 }, 'it ends at 9'],
    ['in another cluster', { origin: 'd' }, 'this is cluster d'],
    ['in a topic that is empty again', { low: 0, high: 0 }, 'it ends at 0'],
  ])('not %s', (_, changes, why) => expect(outOfRange(lane, { ...partition, ...changes })).toContain(why));
});

describe('a topic that has grown past what was read', () => {
  const partition: FeedPartition = { name: lane.name, low: 2, high: 100, origin: 'c' };
  const read = { ...lane, next: 10, readMs: 5_000 };

  it('is the one that was read where a record of that time is still there', () => {
    expect(madeAnew(read, partition, 3)).toBeNull();
  });

  it('is another one where everything was appended later', () => {
    expect(madeAnew(read, partition, 2)).toContain('8 records of it were never read');
  });

  it.each([
    ['nothing below the position is left to tell by', { ...read, next: 2 }],
    ['nothing was ever read', { ...read, readMs: 0 }],
    ['an operator has said where to go on', { ...read, sought: true }],
  ])('is not asked about where %s', (_, asked) => expect(canBeMadeAnew(asked, partition)).toBe(false));

  it('is asked about else', () => expect(canBeMadeAnew(read, partition)).toBe(true));
});
