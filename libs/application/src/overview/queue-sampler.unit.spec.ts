import { describe, expect, it } from 'vitest';
import type { LastSample, QueueSample, QueueSampleStore, SampledQueue } from '../ports/overview-store.port.js';
import { QueueSampler } from './queue-sampler.js';

class Store implements QueueSampleStore {
  now: LastSample | null = { nowMs: 0, lastMinute: null };
  standing: readonly SampledQueue[] = [];
  buckets = new Map<number, ReadonlyMap<number, number>>();
  readonly asked: (readonly [number, number])[] = [];
  readonly written: (readonly [number, readonly QueueSample[]])[] = [];

  last = () => Promise.resolve(this.now);
  queues = () => Promise.resolve(this.standing);
  runTimes = (ids: readonly number[]) => Promise.resolve(new Map([...this.buckets].filter(([id]) => ids.includes(id))));
  ended(sinceMs: number, untilMs: number) {
    this.asked.push([sinceMs, untilMs]);
    return Promise.resolve(new Map([[1, { succeeded: 5, failed: 2 }]]));
  }
  write(minute: number, samples: readonly QueueSample[]) {
    this.written.push([minute, samples]);
    if (this.now !== null) this.now = { ...this.now, lastMinute: minute };
    return Promise.resolve();
  }
  at(minute: number, lastMinute: number | null, queues: readonly SampledQueue[]) {
    this.now = { nowMs: minute * 60_000 + 1_000, lastMinute };
    this.standing = queues;
  }
}

const queue = (queueId: number, waiting: number, succeeded: number) => ({ queueId, waiting, running: 0, succeeded });

describe('samples of queues', () => {
  it('are taken once a minute, count what ended since the one before, and leave out who is idle', async () => {
    const store = new Store();
    const sampler = new QueueSampler(store, 'me');
    store.at(100, 98, [queue(1, 0, 5), queue(2, 3, 0), queue(3, 0, 0)]);
    await sampler.turn();
    await sampler.turn();
    expect(store.asked).toEqual([[98 * 60_000, 100 * 60_000]]);
    expect(store.written.map(([minute, samples]) => [minute, samples.map(({ queueId, waiting, succeeded, failed }) => [queueId, waiting, succeeded, failed])])).toEqual([
      [100, [[1, 0, 5, 2], [2, 3, 0, 0]]],
    ]);
  });

  it('know the median of what was added between two looks of the same replica', async () => {
    const store = new Store();
    const sampler = new QueueSampler(store, 'me');
    const medianAt = async (minute: number, succeeded: number, buckets: ReadonlyMap<number, number>) => {
      store.buckets.set(1, buckets);
      store.at(minute, minute - 1, [queue(1, 1, succeeded)]);
      await sampler.turn();
      return store.written.at(-1)?.[1][0]?.medianMs;
    };
    expect(await medianAt(1, 10, new Map([[4, 10]]))).toBeNull();
    expect(await medianAt(2, 20, new Map([[4, 20]]))).toBeNull();
    const slow = await medianAt(3, 30, new Map([[4, 20], [40, 10]]));
    const usual = await medianAt(4, 40, new Map([[4, 30], [40, 10]]));
    expect(slow).toBeGreaterThan(Number(usual));
  });

  it('are taken by nobody but the replica whose turn it is, and written once in a minute', async () => {
    const store = new Store();
    const sampler = new QueueSampler(store, 'me');
    store.now = null;
    await sampler.turn();
    store.at(7, 7, [queue(1, 1, 1)]);
    await sampler.turn();
    expect(store.written).toEqual([]);
  });
});
