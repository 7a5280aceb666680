import { expect, test } from 'vitest';
import { ResultCache, Results } from './result-cache.js';

function asked(key: string) {
  const results = new Results();
  const cache = new ResultCache(results);
  const before = cache.read(key);
  return { results, cache, before };
}

const invalidation = (...keys: string[]) => ({
  keys,
  tags: [],
  cause: 'completed' as const,
  queue: 'demo',
  jobId: 'a',
  attempt: 1,
  position: { shard: 0, number: 1 },
});

test('a cache that was asked too early goes on saying pending when the result is there', () => {
  const { results, cache, before } = asked('result:a');
  results.set('result:a', 'done');
  expect([before, cache.read('result:a')]).toEqual(['pending', 'pending']);
});

test('an invalidation makes it read anew, and does no harm when it comes twice', () => {
  const { results, cache } = asked('result:a');
  results.set('result:a', 'done');
  expect(cache.invalidate(invalidation('result:a', 'other'))).toEqual(['result:a']);
  expect(cache.invalidate(invalidation('result:a'))).toEqual([]);
  expect(cache.read('result:a')).toBe('done');
});

test('after a reset nothing that is held is trusted', () => {
  const { results, cache } = asked('result:a');
  results.set('result:a', 'done');
  cache.clear();
  expect(cache.read('result:a')).toBe('done');
});
