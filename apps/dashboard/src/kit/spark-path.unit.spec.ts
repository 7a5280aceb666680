import { expect, it } from 'vitest';
import { linePath } from './spark-path';

const path = (...values: readonly (number | null)[]) => linePath(values, 10, (value) => value);

it('goes through the values, and breaks off where there is none', () => {
  expect(path(1, 2, 3)).toBe('M0.0 1.0L10.0 2.0L20.0 3.0');
  expect(path(1, 2, null, 4, 5)).toBe('M0.0 1.0L10.0 2.0M30.0 4.0L40.0 5.0');
});

it('makes a dot of what stands alone, and nothing of nothing', () => {
  expect(path(null, 2, null)).toBe('M10.0 2.0h0.1');
  expect(path(7)).toBe('M0.0 7.0h0.1');
  expect(path(null, null)).toBe('');
  expect(path()).toBe('');
});
