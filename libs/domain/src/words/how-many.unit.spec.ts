import { expect, it } from 'vitest';
import { howMany, howManyOf, verb } from './how-many.js';

it('counts in the singular only where it is one', () => {
  expect([0, 1, 2].map((n) => howMany(n, 'queue'))).toEqual(['0 queues', '1 queue', '2 queues']);
  expect([1, 2].map((n) => howMany(n, 'reply', 'replies'))).toEqual(['1 reply', '2 replies']);
  expect([howManyOf(1, 1, 'attempt'), howManyOf(0, 30, 'attempt')]).toEqual(['1 of 1 attempt', '0 of 30 attempts']);
  expect([0, 1, 2].map((n) => verb(n, 'lets', 'let'))).toEqual(['let', 'lets', 'let']);
});
