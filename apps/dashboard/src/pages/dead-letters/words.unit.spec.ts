import { expect, it } from 'vitest';
import { diedOf, patternTitle, refusalWord } from './words';

it('says what a pattern is, whatever was told of it', () => {
  expect(patternTitle({ reason: 'failed', class: 'E\u202e', message: 'no' })).toBe('E\\u{202e}: no');
  expect(patternTitle({ reason: 'failed', class: 'E', message: '' })).toBe('E');
  expect(patternTitle({ reason: 'poison_pill', class: null, message: '' })).toContain('Poison pill');
});

it('shows a word that it does not know as it is', () => {
  expect(diedOf('toString')).toBe('Given up as “toString”');
  expect(diedOf('unknown')).toBe('Given up as “unknown”');
  expect(refusalWord('melted')).toBe('refused as “melted”');
});
