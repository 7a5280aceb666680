import { expect, it } from 'vitest';
import type { RevisionOfQueue } from '#libs/application';
import { RevisionsSeen } from './revisions-seen.js';

const HOUR_MS = 3_600_000;
const T0 = 1_000 * HOUR_MS;

/** Stretches of a table that a test fills, and from when on it was read. */
function reading() {
  const rows: RevisionOfQueue[] = [];
  const read: number[] = [];
  const seen = new RevisionsSeen({
    revisions(sinceMs) {
      read.push(sinceMs);
      return Promise.resolve(rows.filter(({ lastMs }) => lastMs >= sinceMs));
    },
  });
  const heard = (revision: string, ms: number, queue = 'mails') => rows.push({ queueId: queue.length, queue, revision, firstMs: ms, lastMs: ms });
  const at = async (ms: number) => (await seen.read(ms)).map(({ queue, revision, firstMs }) => [queue, revision, firstMs] as const);
  return { heard, at, read, seen };
}

it('a revision is new when it is first heard of, and stays so however often it is', async () => {
  const { heard, at, read } = reading();
  heard('v1', T0 - 2 * HOUR_MS);
  expect(await at(T0)).toEqual([['mails', 'v1', T0 - 2 * HOUR_MS]]);
  heard('v1', T0 + 1_000);
  heard('v2', T0 + 5_000);
  expect(await at(T0 + 10_000)).toEqual([['mails', 'v2', T0 + 5_000], ['mails', 'v1', T0 - 2 * HOUR_MS]]);
  expect(read).toEqual([T0 - 48 * HOUR_MS, T0 - 600_000]);
});

it('of one that was there when the counts begin nobody knows when it was new, and after two days it is not', async () => {
  const { heard, at } = reading();
  heard('old', T0 - 48 * HOUR_MS);
  heard('old', T0);
  expect(await at(T0)).toEqual([]);
  heard('new', T0 + 1);
  expect(await at(T0 + 60_000)).toEqual([['mails', 'new', T0 + 1]]);
  for (let hours = 1; hours <= 48; hours += 1) {
    heard('new', T0 + hours * HOUR_MS);
    await at(T0 + hours * HOUR_MS);
  }
  expect(await at(T0 + 48 * HOUR_MS + 60_000)).toEqual([]);
});

it('of each queue the newest three are told, whoever sends ids in place of revisions', async () => {
  const { heard, at } = reading();
  for (let n = 0; n < 40; n += 1) heard(`r${String(n)}`, T0 + n);
  heard('v1', T0 + 10, 'bills');
  expect((await at(T0 + HOUR_MS)).map(([queue, revision]) => `${queue} ${revision}`)).toEqual(['mails r39', 'mails r38', 'mails r37', 'bills v1']);
});

it('whoever begins to export anew reads everything anew', async () => {
  const { heard, at, read, seen } = reading();
  heard('v1', T0);
  await at(T0);
  seen.forget();
  await at(T0 + 1);
  expect(read).toEqual([T0 - 48 * HOUR_MS, T0 + 1 - 48 * HOUR_MS]);
});
