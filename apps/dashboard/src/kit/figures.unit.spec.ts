import { expect, it } from 'vitest';
import { figuresText } from './figures';

it('figures are told in words, with their unit', () => {
  expect(figuresText({ revision: 'v42', bad: 73, othersBad: 0, shareBad: 1, atLeastMore: 0.97, deviations: 13.8 })).toBe(
    'revision: v42, failed or lost: 73, failed or lost of others: 0, share failed or lost: 100 %, more of it fails, by at least: 97 %, standard deviations apart: 13.8',
  );
  expect(figuresText({ longestLagMs: 1_500, detectedAfterSeconds: 90, arrivalsPerMinute: 12.5, largestPercent: 80 })).toBe('longest lag: 1.5 s, noticed after: 1 min 30 s, arriving: 12.5 a minute, in the largest pattern: 80 %');
});

it('one that is not known keeps the name and the value that the API has, and what others wrote stays visible', () => {
  expect(figuresText({ somethingNew: 0.12345, toString: 'a\u202eb' })).toBe('something new 0.123, to string a\\u{202e}b');
  expect(figuresText({ failedBefore: 'none ended', share: 'many' })).toBe('failed before: none ended, share of it: many');
});
