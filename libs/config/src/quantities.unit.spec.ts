import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, formatSize, MAX_DURATION_MS, parseDuration, parseSize } from './quantities.js';

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['2m', 120_000],
    ['20d', 1_728_000_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['0.1s', 100],
    ['1d2h3m4s5ms', 93_784_005],
    ['0s', 0],
  ])('%s is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each([
    '',
    '30',
    '30 s',
    's',
    '1m1h',
    '1h1h',
    '-5s',
    '5S',
    '1.5ms',
    '0.0001s',
    '1e3s',
    'Infinityd',
    '99999999999999d',
  ])('%j is none', (text) => expect(parseDuration(text)).toBeNull());

  it('are read back as they were written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_DURATION_MS }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});

describe('sizes', () => {
  it.each([
    ['2048B', 2_048],
    ['64KiB', 65_536],
    ['1MiB', 1_048_576],
    ['1 MB', 1_000_000],
  ])('%s is %d bytes', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  it.each(['', '1', '1GB', '1mb', '-1B', '1.5MiB'])('%j is none', (text) => expect(parseSize(text)).toBeNull());

  it('are written in the largest unit that fits', () => {
    expect([formatSize(1_048_576), formatSize(3_072), formatSize(1_000)]).toEqual(['1MiB', '3KiB', '1000B']);
  });
});
