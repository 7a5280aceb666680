import { expect, test } from 'vitest';
import { applied, looked } from './release-verbs.js';
import type { Standing, Wish, WishFiles } from './wish.js';

const RELEASES = ['2.5.0', '2.4.0'];
const WISH: Wish = { revision: '2.5.0', replicas: 4, careful: true, generation: 2, writer: 'deploy-pipeline' };
const pod = (name: string, revision: string, more: object = {}) => ({ name, revision, ready: true, terminating: false, ...more });

/** Files that are held in memory. */
function files(wish: Wish | null, standing: Standing | null = null) {
  const kept = { wish, standing };
  const write = (what: 'wish' | 'standing', value: never) => void (kept[what] = value);
  return { kept, files: { wish: () => kept.wish, standing: () => kept.standing, write } as unknown as WishFiles };
}

test('a look says what is wished for, what is there, and what can be gone back to', () => {
  const pods = [pod('a', '2.5.0'), pod('b', '2.5.0', { ready: false }), pod('c', '2.4.0'), pod('d', '2.4.0', { terminating: true })];
  expect(looked(files(WISH, { observedGeneration: 2, pods }).files, RELEASES)).toMatchObject({
    ...{ wanted: 4, revision: '2.5.0', version: '2', generation: 2, observedGeneration: 2, writer: 'deploy-pipeline' },
    ...{ replicas: 4, available: 2, updated: 2 },
    releases: [{ id: '2.5.0' }, { id: '2.4.0' }],
  });
});

test('a write replaces the whole wish, and is for all workers at once', () => {
  const { kept, files: some } = files(WISH);
  expect(applied(some, RELEASES, { JOBWARDEN_RELEASE: '2.4.0', JOBWARDEN_REPLICAS: '4', JOBWARDEN_SEEN_VERSION: '2' })).toEqual({ changed: true, generation: 3, version: '3' });
  expect(kept.wish).toEqual({ revision: '2.4.0', replicas: 4, careful: false, generation: 3, writer: 'jobwarden' });
});

test('nothing is written by a dry run, over the write of somebody else, of a release that was never made, or for a queue that nobody knows', () => {
  const { kept, files: some } = files(WISH);
  const wanted = { JOBWARDEN_RELEASE: '2.4.0', JOBWARDEN_SEEN_VERSION: '2' };
  applied(some, RELEASES, { ...wanted, JOBWARDEN_DRY_RUN: 'true' });
  expect(applied(some, RELEASES, { ...wanted, JOBWARDEN_SEEN_VERSION: '1' })).toBe(73);
  expect(applied(some, RELEASES, { ...wanted, JOBWARDEN_RELEASE: '9.9.9' })).toBe(66);
  expect(kept.wish).toBe(WISH);
  expect(applied(files(null).files, RELEASES, wanted)).toBe(66);
  expect(looked(files(null).files, RELEASES)).toBe(66);
});
