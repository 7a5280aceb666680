import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RetryableError, type FeedBatch, type FeedRecord } from '#libs/application';
import { PartitionReader, type Arrival } from './partition-reader.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const away = () => new RetryableError('database_unavailable', 'the database is away');
const record: FeedRecord = { offset: 0, timeMs: 1, key: null, value: null, headers: {}, tick: false };

/** A reader of one partition; what it asks of its consumer is written down, and batches answer as the test says. */
function partition(failpoint: (window: string) => void = () => undefined) {
  const done: string[] = [];
  const answers: (() => Promise<void>)[] = [];
  const underWay = new Map<string, Promise<void>>();
  const note = (word: string) => (of?: unknown) => void done.push(typeof of === 'number' ? `${word} ${of}` : word);
  const quiet = { assigned: note('-'), revoked: note('-'), stalled: note('-'), restarted: note('-'), ends: note('-') };
  const make = () =>
    new PartitionReader(
      'kafka/t/0',
      0,
      { pause: note('pause'), resumeAt: note('at'), show: note('show') },
      {
        receiver: {
          assigned: () => Promise.resolve([]),
          revoked: () => undefined,
          batch: () => answers.shift()?.() ?? Promise.resolve(),
        },
        observer: { ...quiet, paused: note('paused'), resumed: note('resumed'), failed: note('failed') },
        failpoint,
        ask: note('ask'),
        underWay,
        askEveryMs: 3_000,
        patienceMs: 2_000,
        heartbeatEveryMs: 500,
      },
    );
  const reader = make();
  const arrival = (from: number, next: number): Arrival => ({
    from,
    batch: { name: reader.name, topic: 't', partition: 0, records: [record], next } satisfies FeedBatch,
    heartbeat: () => {
      note('heartbeat')();
      return Promise.resolve();
    },
    resolve: note('resolve'),
  });
  return {
    reader,
    make,
    answers,
    take: (from: number, next: number) => reader.take(arrival(from, next)),
    /** What was done since it was last asked. */
    since: () => done.splice(0),
  };
}

describe('a partition', () => {
  test('is read from where the log says, and shows what is stored', async () => {
    const { reader, take, since } = partition();
    reader.ask();
    reader.positioned(5);
    await take(5, 9);
    await take(9, 12);
    expect(since()).toEqual(['pause', 'ask', 'at 5', 'show 9', 'resolve', 'show 12', 'resolve']);
    expect(reader.position).toBe(12);
  });

  test('has a window in which it is stored and not yet shown as read', async () => {
    const windows: string[] = [];
    const { reader, take, since } = partition((window) => windows.push(`${window} after ${since().join()}`));
    reader.positioned(5);
    await take(5, 9);
    expect([windows, since()]).toEqual([['commit/offset after at 5'], ['show 9', 'resolve']]);
  });

  test('hands on nothing of a fetch that began elsewhere, but asks', async () => {
    const { reader, take, since, answers } = partition();
    reader.positioned(5);
    answers.push(() => Promise.reject(new Error('was handed on')));
    await take(7, 9);
    expect(since()).toEqual(['at 5', 'pause', 'ask']);
    await take(5, 9);
    expect(since()).toEqual([]);
  });

  test('passes over what nobody is shown, and a hole before it once it has asked and come to it again', () => {
    const { reader, since } = partition();
    reader.positioned(5);
    reader.skipped(5, 6);
    reader.skipped(3, 4);
    expect([reader.position, since()]).toEqual([7, ['at 5']]);
    reader.skipped(9, 10);
    expect([reader.position, since()]).toEqual([7, ['pause', 'ask']]);
    reader.positioned(7);
    reader.skipped(9, 10);
    expect([reader.position, since()]).toEqual([11, ['at 7']]);
  });

  test('waits longer after each failure, begins anew after a success, and comes back to the same place (D4)', async () => {
    const { reader, take, since, answers } = partition();
    reader.positioned(5);
    const waited = async () => {
      answers.push(() => Promise.reject(away()));
      await take(reader.position, reader.position + 1);
      const from = Date.now();
      vi.advanceTimersToNextTimer();
      return Date.now() - from;
    };
    const waits: number[] = [];
    for (let n = 0; n < 8; n++) waits.push(await waited());
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    expect(since().slice(0, 5)).toEqual(['at 5', 'pause', 'paused', 'at 5', 'pause']);
    await take(5, 6);
    expect(since().slice(-3)).toEqual(['show 6', 'resolve', 'resumed']);
    expect(await waited()).toBe(100);
  });

  test('tells a fault that is no outage each time, and goes on trying', async () => {
    const { reader, take, since, answers } = partition();
    reader.positioned(0);
    for (let n = 0; n < 2; n++) {
      answers.push(() => Promise.reject(new TypeError('x is not a function')));
      await take(0, 1);
      vi.advanceTimersToNextTimer();
    }
    await take(0, 1);
    const all = since();
    expect(all.filter((word) => word === 'failed')).toHaveLength(2);
    expect(all.slice(-3)).toEqual(['show 1', 'resolve', 'resumed']);
  });

  test('asks anew when somebody else has moved the lane, each time a little later', async () => {
    const { reader, take, since, answers } = partition();
    reader.positioned(0);
    for (let n = 0; n < 3; n++) {
      answers.push(() => Promise.reject(new RetryableError('lane_lost', 'read by somebody else')));
      await take(reader.position, reader.position + 1);
      const from = Date.now();
      vi.advanceTimersToNextTimer();
      expect([Date.now() - from, since().at(-1)]).toEqual([100 * 2 ** n, 'ask']);
      reader.positioned(n + 10);
    }
  });

  test('goes on alone with a batch that takes longer than our patience, with signs of life until then', async () => {
    const { reader, take, since, answers } = partition();
    reader.positioned(0);
    let release: () => void = () => undefined;
    answers.push(() => new Promise((resolve) => (release = resolve)));
    const taken = take(0, 4);
    await vi.advanceTimersByTimeAsync(2_000);
    await taken;
    expect(since()).toEqual(['at 0', 'heartbeat', 'heartbeat', 'heartbeat', 'pause', 'paused']);
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect(since()).toEqual(['show 4', 'at 4', 'resumed']);
  });

  test('is asked for again every few seconds while its lane is stopped', () => {
    const { reader, since } = partition();
    reader.positioned(null);
    vi.advanceTimersByTime(3_000);
    reader.positioned(null);
    vi.advanceTimersByTime(3_000);
    reader.positioned(8);
    expect(since()).toEqual(['paused', 'pause', 'ask', 'pause', 'ask', 'at 8', 'resumed']);
  });

  test('that was given away does nothing more, and its next reader waits for the batch under way', async () => {
    const { reader, make, take, since, answers } = partition();
    reader.positioned(0);
    let release: () => void = () => undefined;
    answers.push(() => new Promise((resolve) => (release = resolve)));
    const taken = take(0, 4);
    reader.revoke();
    const next = make();
    next.ask();
    expect(since()).toEqual(['at 0', 'pause']);
    release();
    await taken;
    await vi.advanceTimersByTimeAsync(0);
    expect(since()).toEqual(['pause', 'ask']);
  });
});
