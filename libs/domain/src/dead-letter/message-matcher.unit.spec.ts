import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageMatcher } from './message-matcher.js';

const matches = (recorded: string, now: string, redacted?: readonly string[]) => new RegExp(messageMatcher(recorded, redacted), 'su').test(now);

describe('a recorded message', () => {
  it.each([
    ['order 4711 of 12 not found', 'order 99 of 3 not found'],
    [`no "light blue" chair at /var/lib/shop/42.json, 2026-01-31T10:00:00Z`, `no "dark red" chair at /srv/other/a.json, 2027-02-01T11:00:00.5Z`],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED 10.1.2.3:99'],
    [`Cannot read properties of undefined (reading 'id')`, `Cannot read properties of undefined (reading 'id')`],
    ['see https://a.example/1?x=2 (ada@example.com)', 'see http://b.example/9 (bob@other.example)'],
    ['job 0xdeadbeef1 of 9f86d081-884c-4d65-9a2f-eaa0c55ad015 died', 'job 0xabc12345 of 11111111-884c-4d65-9a2f-eaa0c55ad015 died'],
    ['two\nlines  here', 'two lines here'],
    [String.raw`no C:\a b/c/d.js or <path> of <n>`, 'no /x/y or <path> of 7'],
    [`sent to ${'ada@example.com, '.repeat(40)}`, `sent to ${'bob@example.com, '.repeat(40)}`],
  ])('is found again where only what changes has changed: %s', (recorded, now) => {
    expect(matches(recorded, now)).toBe(true);
    expect(matches(recorded, recorded)).toBe(true);
  });

  it('is not taken for another', () => {
    expect(matches('order 4711 not found', 'order 4711 was found')).toBe(false);
    expect(matches('order 4711 not found', 'the order 4711 not found')).toBe(false);
    expect(matches('a+b', 'aab')).toBe(false);
  });

  it('may hold anything where redaction has cut', () => {
    expect(matches('card [redacted] was refused', 'card 4111 1111 was refused', ['[redacted]'])).toBe(true);
    expect(matches('card [redacted] was refused', 'card 4111 was taken', ['[redacted]'])).toBe(false);
    expect(matches('token *** is old', 'token abc is old', ['', '***'])).toBe(true);
  });

  it('is always found in itself, also where it was cut for its length', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[a-z0-9 "'.:/<>…-]{0,80}$/u));
    fc.assert(fc.property(fc.array(text, { maxLength: 30 }), (parts) => matches(parts.join(' '), parts.join(' '))));
  });

  it('costs little to look for, also in vain', () => {
    const message = Array.from({ length: 2_000 }, (_, i) => String(i)).join(' ');
    expect(matches(message, `${message.slice(0, 100)}!`)).toBe(false);
    const cut = 'bad [redacted] '.repeat(500);
    expect(matches(`${cut}end`, `${'bad '.repeat(500)}!`, ['[redacted]'])).toBe(false);
    expect(matches(`${cut}end`, `${cut}end`, ['[redacted]'])).toBe(true);
    for (const one of ['/a/b', 'a@b.c,', '2026-01-31 10:00:00', 'deadbeef1-', '1.5,', 'https://a.example/x', '"a"', '10.0.0.1:80', '1..', ':/a/b: ']) {
      const many = Array.from({ length: 40 }, () => one).join(' ');
      // Whether it is found in the longer one depends on where it was cut: it must end.
      for (const recorded of [many, one.repeat(40)]) {
        expect(matches(recorded, recorded)).toBe(true);
        matches(recorded, `${recorded}!${recorded}?`);
        matches(recorded, `${recorded.slice(0, -1)}\u0000`);
      }
    }
  });
});
