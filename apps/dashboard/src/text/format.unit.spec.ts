import { describe, expect, it } from 'vitest';
import { ago, count, duration, ratio, utc, visible } from './format';

describe('figures', () => {
  it.each([
    [0, '0'],
    [99_999, '99,999'],
    [1_234_567, '1.2M'],
  ])('writes the count %d as %s', (value, text) => {
    expect(count(value)).toBe(text);
  });

  it.each([
    [0, '0 %'],
    [0.000_01, '< 0.1 %'],
    [0.0312, '3.1 %'],
    [0.256, '26 %'],
    [1, '100 %'],
  ])('writes the ratio %d as %s', (value, text) => {
    expect(ratio(value)).toBe(text);
  });

  it.each([
    [850, '850 ms'],
    [4_230, '4.2 s'],
    [200_000, '3 min 20 s'],
    [180_000, '3 min'],
    [187_200_000, '2 d 4 h'],
    [-61_000, '-1 min 1 s'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('writes an instant in UTC, and how long ago it was', () => {
    expect(utc(Date.UTC(2026, 2, 1, 14, 5, 9, 120))).toBe('2026-03-01 14:05:09.120 UTC');
    expect(ago(0, 180_000)).toBe('3 min. ago');
    expect(ago(7_200_000, 0)).toBe('in 2 hr.');
  });
});

describe('names that somebody else chose', () => {
  it.each([
    ['order-1', 'order-1'],
    ['a\u202egnp.exe', 'a\\u{202e}gnp.exe'],
    ['a\u200bb', 'a\\u{200b}b'],
    ['a\nb', 'a\\u{a}b'],
    [' a ', '␠a␠'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['名前', '名前'],
  ])('shows %j as %s', (name, text) => {
    expect(visible(name)).toBe(text);
  });
});
