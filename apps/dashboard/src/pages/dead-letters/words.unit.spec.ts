import { expect, it } from 'vitest';
import { diedOf, endedWord, letterReason, patternTitle, refusalWord } from './words';

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

it('says of a letter, not of a pattern, whether its retries were used up', () => {
  const ended = (word: string) => letterReason({ reason: 'failed', chain: [{ attempt: 1, ended: 'lost', at: '' }, { attempt: 2, ended: word, at: '' }] });
  expect(ended('failed')).toBe('Failed, and no retry was left');
  expect(ended('failed-for-good')).toBe('Failed, and was not to be tried again');
  expect(ended('melted')).toBe('Failed for good');
  expect(letterReason({ reason: 'lost', chain: [] })).toBe(diedOf('lost'));
});

it.each(['failed-for-good', 'poison_pill', 'unknown'])('has words for an attempt that ended as %s', (ended) => {
  expect(endedWord(ended)).not.toBe(ended);
});
