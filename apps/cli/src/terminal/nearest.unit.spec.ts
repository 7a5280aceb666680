import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.js';

describe('a name that was mistyped', () => {
  it.each([
    ['emials', ['emails', 'invoices'], 'emails'],
    ['Invoice', ['emails', 'invoices'], 'invoices'],
    ['x', ['emails', 'invoices'], null],
    ['emails', [], null],
  ])('%s among %j is perhaps %s', (name, names, expected) => {
    expect(nearest(name, names)).toBe(expected);
  });
});
