import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRfc3339 } from './rfc3339.js';

describe('RFC 3339 time', () => {
  it('agrees with Date on every instant of the years 0 to 9999', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), (ms) => {
        expect(parseRfc3339(new Date(ms).toISOString())).toBe(ms);
      }),
    );
  });

  it('counts the offset from UTC', () => {
    expect(parseRfc3339('2026-01-01T00:30:00+01:00')).toBe(Date.UTC(2025, 11, 31, 23, 30));
    expect(parseRfc3339('2026-01-01T00:30:00-05:30')).toBe(Date.UTC(2026, 0, 1, 6, 0));
    expect(parseRfc3339('2026-01-01t00:30:00z')).toBe(Date.UTC(2026, 0, 1, 0, 30));
    expect(parseRfc3339('2026-01-01 00:30:00Z')).toBe(Date.UTC(2026, 0, 1, 0, 30));
  });

  it.each([
    ['2026-01-01T00:00:00.1Z', 100],
    ['2026-01-01T00:00:00.12Z', 120],
    ['2026-01-01T00:00:00.1239Z', 123],
    ['2026-01-01T00:00:00.123456789012Z', 123],
    ['2026-01-01T00:00:60Z', 60_000],
  ])('reads the fraction of %s', (text, ms) => {
    expect(parseRfc3339(text)).toBe(Date.UTC(2026, 0, 1) + ms);
  });

  it('keeps absurd dates', () => {
    expect(parseRfc3339('0000-01-01T00:00:00Z')).toBe(-62_167_219_200_000);
    expect(parseRfc3339('9999-12-31T23:59:59Z')).toBe(253_402_300_799_000);
  });

  it.each([
    '',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:61Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00+1:00',
    '2026-01-01T00:00:00+25:00',
    '2026-01-01T00:00:00Zjunk',
    '2026-01-01T00:00:00.5Zjunk',
    '26-01-01T00:00:00Z',
    '+02026-01-01T00:00:00Z',
    'Thu, 01 Jan 2026 00:00:00 GMT',
    '1767225600000',
    '２０２６-01-01T00:00:00Z',
  ])('refuses %j', (text) => {
    expect(parseRfc3339(text)).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('0123456789-:T.Z+ zt')), maxLength: 40 }), (text) => {
        const ms = parseRfc3339(text);
        expect(ms === undefined || Number.isFinite(ms)).toBe(true);
      }),
    );
  });
});
