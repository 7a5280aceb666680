import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalisedMessage } from './normalised-message.js';
import { fingerprintText, markOf, patternOf } from './pattern.js';
import { topFrames } from './top-frames.js';

describe('a message', () => {
  it.each([
    ['numbers', 'timeout after 3000 ms, try 2', 'timeout after <n> ms, try <n>'],
    ['uuids', 'no user 5d0f0d5e-1c1f-4f8a-9c5e-2f7a3b1c9d10', 'no user <id>'],
    ['hexadecimal ids', 'object 65f1a2b3c4d5e6f708192a3b is gone', 'object <id> is gone'],
    ['addresses', 'connect ECONNREFUSED 10.0.0.12:5432', 'connect ECONNREFUSED <address>'],
    ['urls', 'GET https://api.example.com/v1/users/7?x=1 answered 502', 'GET <url> answered <n>'],
    ['mail addresses', 'mailbox of ada.l@example.com is full', 'mailbox of <email> is full'],
    ['times', 'expired at 2026-01-31T12:00:00.123Z', 'expired at <time>'],
    ['paths', "ENOENT: no such file, open /srv/app/data/7.json", 'ENOENT: no such file, open <path>'],
    ['quoted values', 'duplicate key "order-7, ada"', 'duplicate key <text>'],
    ['line ends', 'a\n  b', 'a b'],
  ])('loses its %s', (_, message, expected) => expect(normalisedMessage(message)).toBe(expected));

  it('keeps words, and names in quotes', () => {
    expect(normalisedMessage("Cannot read properties of undefined (reading 'items')")).toBe("Cannot read properties of undefined (reading 'items')");
  });

  it('is never longer than its bound', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2_000 }), (text) => {
        expect(normalisedMessage(text).length).toBeLessThanOrEqual(301);
      }),
    );
  });

  it('of a hundred thousand characters costs no more than one of a few', () => {
    for (const hostile of ['a@'.repeat(50_000), '"'.repeat(100_001), '/a'.repeat(50_000), '1.'.repeat(50_000), 'x://'.repeat(25_000)]) {
      expect(normalisedMessage(hostile).length).toBeLessThanOrEqual(301);
    }
  });
});

describe('a stack', () => {
  it('of V8 gives own functions with their files, newest first, without lines and folders', () => {
    const stack = `Error: no
    at internalConnect (node:net:1107:16)
    at Socket.connect (/srv/app/node_modules/pg/lib/connection.js:12:3)
    at async Mailer.send (/srv/app/src/mailer.js:33:7)
    at async handle (file:///srv/app/src/handlers/mail.js:9:3)
    at /srv/app/src/main.js:4:1
    at deeper (/srv/app/src/x.js:1:1)`;
    expect(topFrames(stack)).toEqual(['Mailer.send (mailer.js)', 'handle (mail.js)', 'main.js']);
    expect(topFrames(stack.replaceAll('/srv/app', '/opt/release-7').replaceAll(':33:7', ':41:2'))).toEqual(topFrames(stack));
  });

  it('gives those of packages where there are no others', () => {
    expect(topFrames('E: x\n    at f (/a/node_modules/b/c.js:1:2)')).toEqual(['f (c.js)']);
  });

  it('of Java and of Python', () => {
    expect(topFrames('E\n\tat com.shop.Mail.send(Mail.java:12)\n\tat java.base/java.lang.Thread.run(Thread.java:833)')).toEqual(['com.shop.Mail.send (Mail.java)']);
    const python = 'Traceback (most recent call last):\n  File "/app/worker.py", line 8, in run\n    send()\n  File "/app/mail.py", line 3, in send\n    raise E';
    expect(topFrames(python)).toEqual(['send (mail.py)', 'run (worker.py)']);
  });

  it('that cannot be read gives nothing', () => expect(topFrames('panic: goroutine 1')).toEqual([]));
});

describe('a pattern', () => {
  const of = { namespace: 'default', queue: 'emails', kind: null };
  const died = (message: string) => patternOf({ reason: 'failed', error: { class: 'SmtpError', message, stack: null } });

  it('is the same for two failures that differ in their values, and another for another queue, kind or reason', () => {
    const text = fingerprintText(of, died('no user 7'));
    expect(fingerprintText(of, died('no user 8'))).toBe(text);
    expect(fingerprintText({ ...of, kind: 'welcome' }, died('no user 7'))).not.toBe(text);
    expect(fingerprintText({ ...of, queue: 'other' }, died('no user 7'))).not.toBe(text);
    expect(fingerprintText(of, patternOf({ reason: 'lost', error: null }))).not.toBe(text);
  });

  it.each([
    ['new where it came since the last review', { firstMs: 20, lastMs: 30, review: null }, 'new'],
    ['nothing new where it was there before', { firstMs: 5, lastMs: 30, review: null }, null],
    ['regressed where it was fixed and came again', { firstMs: 5, lastMs: 30, review: { outcome: 'fixed', atMs: 25 } }, 'regressed'],
    ['not regressed while it stays away', { firstMs: 5, lastMs: 25, review: { outcome: 'fixed', atMs: 25 } }, null],
    ['nothing where people have seen it, or ignore it', { firstMs: 20, lastMs: 30, review: { outcome: 'ignored', atMs: 25 } }, null],
  ] as const)('is %s', (_, standing, mark) => expect(markOf(standing, 10)).toBe(mark));
});
