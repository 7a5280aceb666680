import { expect, test } from 'vitest';
import { sharedBrokers, useTopicPrefix, waitUntil } from '#libs/testing';
import { useFeeds } from './feed.fixture.js';

const prefix = useTopicPrefix();
const { sendValues, createEvents, startFeed } = useFeeds(sharedBrokers);

const TOTAL = 20_000;
const PARTITIONS = 4;

/** Reads a backlog of so many records by partition. @returns by partition: how many were read before each of its own. */
async function readBacklog(name: string, counts: readonly number[]): Promise<readonly number[][]> {
  const topic = await createEvents(`${prefix}${name}-`, PARTITIONS);
  for (const [partition, count] of counts.entries()) {
    const values = Array.from({ length: count }, (_, n) => `${partition}/${n}`.padEnd(300, '.'));
    for (let at = 0; at < count; at += 1_000) await sendValues(topic, values.slice(at, at + 1_000), partition);
  }
  const { receiver } = startFeed(`${prefix}${name}-`, { tickEveryMs: 60_000, partitionsAtOnce: 1 });
  await waitUntil('all records', () => receiver.stored.length >= TOTAL);
  const before = counts.map((): number[] => []);
  for (const [n, value] of receiver.values.entries()) before[Number(value.split('/')[0])]!.push(n);
  return before;
}

const p95 = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.95)]!;

test('a type of job that sends nine of ten events does not hold up the others (D9)', async () => {
  const hot = await readBacklog('hot', [18_000, 800, 700, 500]);
  const even = await readBacklog('even', [5_000, 5_000, 5_000, 5_000]);
  const others = p95(hot.slice(1).flat());
  expect(others).toBeLessThanOrEqual(2 * p95(even.slice(1).flat()));
  // They are in the first fetch with it, and wait for no more than its first batch.
  expect(others).toBeLessThan(TOTAL / 2);
  expect(hot.map((before) => before.length)).toEqual([18_000, 800, 700, 500]);
});
