import { describe, expect, it } from 'vitest';
import { faultsOf, goodPolicy, placesOf } from './policy.fixture.js';
import { parseRedactionPath } from './redaction-rules.js';
import { nestedRepeat } from './regex-cost.js';

describe('redaction', () => {
  it('takes paths and patterns, of one queue or of all', () => {
    const { redaction } = goodPolicy(`redaction:
  - path: data.payload.cards[*].number
    queue: emails
    replaceWith: ""
  - pattern: '\\d{13,19}'
`);
    expect(redaction).toEqual([
      { match: { by: 'path', path: ['data', 'payload', 'cards', '*', 'number'] }, queue: 'emails', replaceWith: '' },
      { match: { by: 'pattern', pattern: /\d{13,19}/gu }, queue: null, replaceWith: '[redacted]' },
    ]);
  });

  it.each([
    ['{}', 'path-or-pattern'],
    ['{path: a.b, pattern: x}', 'path-or-pattern'],
    ['{path: "a..b"}', 'bad-value'],
    ['{path: ".a"}', 'bad-value'],
    ['{path: "a.[0]"}', 'bad-value'],
    ['{path: subject}', 'bad-value'],
    ['{path: \'data["queue"]\'}', 'bad-value'],
    ['{pattern: "("}', 'bad-value'],
    ['{pattern: "a*"}', 'bad-value'],
    ['{pattern: ""}', 'bad-value'],
    ['{pattern: "(a+)+b"}', 'bad-value'],
    ['{paht: a.b}', 'unknown-key'],
  ])('refuses %s', (rule, code) => {
    expect(faultsOf(`redaction: [${rule}]`).map((fault) => fault.code)).toEqual([code]);
  });

  it('names the entry that is wrong', () => {
    expect(placesOf('redaction:\n  - path: a\n  - pattern: "["\n')).toEqual(['3:14 bad-value redaction[1].pattern']);
  });
});

describe('a redaction path', () => {
  it.each([
    ['a', ['a']],
    ['a.b.c', ['a', 'b', 'c']],
    ['a[0].b', ['a', '0', 'b']],
    ['data.**.password', ['data', '**', 'password']],
    ['a.*.b', ['a', '*', 'b']],
    ['a["b.c"].d', ['a', 'b.c', 'd']],
    ['["a \\" b"]', ['a " b']],
    ['données.clé', ['données', 'clé']],
  ])('%s', (written, path) => expect(parseRedactionPath(written)).toEqual(path));

  it.each(['', '.', 'a.', 'a b', 'a[', 'a[]', 'a["', 'a[b]', '***', 'a**', 'a'.repeat(501)])('is not %j', (written) => {
    expect(parseRedactionPath(written)).toBeNull();
  });
});

describe('a repeat of a repeat', () => {
  it.each(['(a+)+', '(a*)*b', '(?:a{2,})*', '((a|b)+c?)+', '(?:x(\\d+))+', '([a-z]+\\s)*', '(a{1,9})+'])(
    'is found in %s',
    (source) => {
      expect(nestedRepeat(source)).not.toBeNull();
    },
  );

  it.each([
    'a+b+',
    '\\S+@\\S+',
    '(?:\\d{4}[ -]?){3,}',
    '(a+)',
    '(a+)?',
    '(a+){2}',
    '[(a+)+]',
    '\\(a+\\)+',
    '(?<n>a)+',
    '(?=a+)b+',
  ])('is not seen in %s', (source) => expect(nestedRepeat(source)).toBeNull());
});
