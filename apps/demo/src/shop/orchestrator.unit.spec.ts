import { expect, test } from 'vitest';
import { placesOf } from './orchestrator.js';

test('a careful release gets half of the places, and any other all of them', () => {
  const wish = { revision: 'b', replicas: 4 };
  expect(placesOf({ ...wish, careful: true }, 'a')).toEqual(['b', 'b', 'a', 'a']);
  expect(placesOf({ ...wish, careful: false }, 'a')).toEqual(['b', 'b', 'b', 'b']);
});

test('the first release ever gets all of them, however careful', () => {
  expect(placesOf({ revision: 'a', replicas: 3, careful: true }, '')).toEqual(['a', 'a', 'a']);
});
