import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { parseExactly } from '../json.js';
import { FACT_EVENTS } from '../schemas/facts.js';
import { compileRedaction } from './compile.js';
import { NO_REDACTION } from './redactor.js';
import { queueGlob, redactionRule, type RawRedactionRule } from './rules.js';

function redactor(...raw: RawRedactionRule[]) {
  return compileRedaction(
    raw.map((one) => {
      const checked = redactionRule(one);
      if (!checked.ok) throw new Error(checked.fault);
      return checked.rule;
    }),
  );
}

function event(data: Record<string, unknown>, type = 'jobwarden.job.queued.v1') {
  const all: Record<string, unknown> = { queue: 'emails', ...data };
  return { specversion: '1.0', id: 'e-1', source: '/s', subject: 'j-1', type, data: all };
}

/** The event's data after redaction. */
function cut(rules: RawRedactionRule[], data: Record<string, unknown>, schema: object = FACT_EVENTS.queued) {
  const result = redactor(...rules).event(event(data), schema);
  return { data: (result.value as { data: Record<string, unknown> }).data, cut: result.cut };
}

describe('redaction by path', () => {
  it('cuts a value and says where', () => {
    const result = cut([{ path: 'data.payload.card.number' }], { payload: { card: { number: '4111', name: 'Ada' } } });
    expect(result.data['payload']).toEqual({ card: { number: '[redacted]', name: 'Ada' } });
    expect(result.cut).toEqual(['data.payload.card.number']);
  });

  it.each([
    ['a number', 4111],
    ['a flag', true],
    ['nothing', null],
    ['an object', { a: { b: 'secret' } }],
    ['a list', ['secret', ['secret']]],
    ['an integer beyond 2^53', parseExactly('41111111111111111111')],
  ])('replaces %s as a whole', (_what, value) => {
    expect(cut([{ path: 'data.payload.x' }], { payload: { x: value, y: 1 } }).data['payload']).toEqual({ x: '[redacted]', y: 1 });
  });

  it('goes through arrays whether or not the path names them', () => {
    const payload = { cards: [{ number: 1 }, [{ number: 2 }], { other: 3 }] };
    const kept = { cards: [{ number: 'x' }, [{ number: 'x' }], { other: 3 }] };
    expect(cut([{ path: 'data.payload.cards.number', replaceWith: 'x' }], { payload }).data['payload']).toEqual(kept);
    const named = cut([{ path: 'data.payload.cards.*.number', replaceWith: 'x' }], { payload });
    expect(named.data['payload']).toEqual(kept);
    const second = cut([{ path: 'data.payload.cards.1', replaceWith: 'x' }], { payload });
    expect(second.data['payload']).toEqual({ cards: [{ number: 1 }, 'x', { other: 3 }] });
    expect(named.cut).toEqual(['data.payload.cards[0].number', 'data.payload.cards[1][0].number']);
  });

  it('takes * for one key and ** for any depth, also none', () => {
    const payload = { a: { password: 1, b: { password: 2 } }, password: 3 };
    expect(cut([{ path: 'data.payload.*.password', replaceWith: 'x' }], { payload }).data['payload']).toEqual({
      a: { password: 'x', b: { password: 2 } },
      password: 3,
    });
    expect(cut([{ path: 'data.**.password', replaceWith: 'x' }], { payload }).data['payload']).toEqual({
      a: { password: 'x', b: { password: 'x' } },
      password: 'x',
    });
  });

  it('keeps what names the event and what the fold reads, whatever the path', () => {
    const data = { attempt: 2, token: 4294967298, worker: { id: 'w-1', extra: 's' }, error: { class: 'E', message: 'm' }, retryable: false };
    const result = redactor({ path: '**' }).event(event(data, 'jobwarden.job.failed.v1'), FACT_EVENTS.failed).value;
    expect(result).toEqual({
      ...event({}, 'jobwarden.job.failed.v1'),
      data: {
        queue: 'emails',
        attempt: 2,
        token: 4294967298,
        worker: { id: '[redacted]', extra: '[redacted]' },
        error: { class: '[redacted]', message: '[redacted]' },
        retryable: false,
      },
    });
  });

  it('gives a secret no shelter in a field that the fold reads but that does not fit', () => {
    const data = { attempt: 'secret', maxRetries: { a: 'secret' }, queue: { name: 'secret' }, notBefore: 'secret', timeoutMs: -4111 };
    const result = redactor({ path: '**' }).event({ ...event(data), time: 'secret' }, FACT_EVENTS.queued);
    expect(JSON.stringify(result.value)).not.toMatch(/secret|4111/u);
  });

  it('changes nothing that it was given, and copies nothing that it does not cut', () => {
    const given = event({ payload: { a: { b: 1 }, card: { number: 1 } } });
    const before = JSON.stringify(given);
    const { value } = redactor({ path: 'data.payload.card.number' }).event(given, FACT_EVENTS.queued);
    expect(JSON.stringify(given)).toBe(before);
    expect((value as typeof given).data['payload']).toMatchObject({ a: (given.data['payload'] as { a: object }).a });
    expect(redactor({ path: 'data.none' }).event(given, FACT_EVENTS.queued).value).toBe(given);
  });
});

describe('redaction by pattern', () => {
  const card = { pattern: String.raw`\b\d{16}\b` };

  it('cuts only the hit, in every string, key and number', () => {
    const payload = { note: 'card 4111111111111111 ok', '4111111111111111': 1, n: 4111111111111111, list: [['4111111111111111']] };
    const result = cut([card], { payload, extra: { deep: ['4111111111111111'] } });
    expect(result.data['payload']).toEqual({
      note: 'card [redacted] ok',
      '[redacted]': 1,
      n: '[redacted]',
      list: [['[redacted]']],
    });
    expect(JSON.stringify(result)).not.toContain('4111111111111111');
  });

  it('keeps every value whose key is redacted to the same name, and asks for a free one only once', () => {
    const payload = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`n${4111111111110000 + i}`, i]));
    const asked = vi.spyOn(Object, 'hasOwn');
    const kept = cut([{ pattern: String.raw`\d{16}` }], { payload: { ...payload, 'n[redacted]#7': 'taken' } }).data['payload'] as object;
    const times = asked.mock.calls.length;
    asked.mockRestore();
    expect(Object.keys(kept)).toHaveLength(501);
    expect(kept).toMatchObject({ 'n[redacted]': 0, 'n[redacted]#2': 1, 'n[redacted]#500': 499, 'n[redacted]#7#2': 'taken' });
    expect(times).toBeLessThan(3_000);
  });

  it('leaves tokens and other numbers of the fold alone', () => {
    const result = redactor({ pattern: String.raw`\d{10,}` }).event(
      event({ token: 249108103168001, attempt: 1, worker: { id: 'w' }, other: 249108103168001 }, 'jobwarden.job.started.v1'),
      FACT_EVENTS.started,
    );
    expect((result.value as { data: unknown }).data).toMatchObject({ token: 249108103168001, other: '[redacted]' });
  });

  it('hits across JSON escapes, also of JSON inside a string', () => {
    const secret = { pattern: 'secret' };
    const inner = JSON.stringify({ a: 'x' }).replace('x', String.raw`\u0073ecret`);
    const twice = JSON.stringify(inner);
    const result = cut([secret], { payload: { inner, twice } });
    expect(result.data['payload']).toEqual({ inner: '{"a":"[redacted]"}', twice: String.raw`"{\"a\":\"[redacted]\"}"` });
  });

  it('loses no value when two keys become the same', () => {
    const result = cut([{ pattern: 'k[12]', replaceWith: 'k' }], { payload: { k1: 1, k2: 2, k: 3 } });
    expect(Object.values(result.data['payload'] as object).sort()).toEqual([1, 2, 3]);
  });

  it('keeps $& in a replacement as it stands', () => {
    expect(cut([{ pattern: 's+', replaceWith: '$&$1' }], { payload: 'ass' }).data['payload']).toBe('a$&$1');
  });

  it('takes a key called __proto__ for a key', () => {
    const payload: unknown = JSON.parse('{"a":"secret","__proto__":{"b":"secret"},"c":1}');
    const result = cut([{ pattern: 'secret' }], { payload });
    expect(JSON.stringify(result.data['payload'])).toBe('{"a":"[redacted]","__proto__":{"b":"[redacted]"},"c":1}');
  });

  it('tells paths that hold no secret themselves', () => {
    const result = cut([{ pattern: 'secret' }], { payload: { 'secret-key': { a: 'secret' } } });
    expect(result.cut).toEqual(['data.payload.[redacted]-key (key)', 'data.payload.[redacted]-key.a']);
  });

  it('walks into whatever depth without ending the stack', () => {
    const deep: unknown = JSON.parse('['.repeat(100_000) + '"secret"' + ']'.repeat(100_000));
    expect(JSON.stringify(redactor({ pattern: 'secret' }).event(deep).value)).toContain('nested too deep');
  });
});

describe('redaction by queue', () => {
  it('follows the glob, and cuts where no queue can be read', () => {
    const only = redactor({ pattern: 'secret', in: 'pay-*' });
    const inQueue = (queue: unknown) => JSON.stringify(only.event(event({ queue, payload: 'secret' }), FACT_EVENTS.queued).value);
    expect(inQueue('pay-eu')).not.toContain('secret');
    expect(inQueue('emails')).toContain('secret');
    expect(inQueue(undefined)).not.toContain('secret');
    expect(only.text('secret').text).toBe('[redacted]');
  });

  it.each([
    ['a*', 'abc', true],
    ['a*', 'ba', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a.c', 'abc', false],
    ['a+(b)|[c]', 'a+(b)|[c]', true],
    ['*', '', true],
    ['a*', 'a\nb', true],
    ['?', '🦊', true],
  ])('glob %j on %j is %s', (glob, queue, expected) => {
    expect(queueGlob(glob)(queue)).toBe(expected);
  });
});

describe('redaction of text that is no JSON', () => {
  it.each([
    ['{"a":"secret"', '{"a":"[redacted]"'],
    [String.raw`{"a":"\u0073ecret`, '{"a":"[redacted]'],
    [String.raw`{"a":"s\u0065c\u0072et" oops`, '{"a":"[redacted]" oops'],
    [String.raw`"{\"a\":\"\\u0073ecret\"`, String.raw`"{\"a\":\"[redacted]\"`],
    ['secretsecret', '[redacted][redacted]'],
    ['', ''],
  ])('%j', (text, expected) => {
    expect(redactor({ pattern: 'secret' }).text(text).text).toBe(expected);
  });

  it('finds a pattern that was meant for one whole value', () => {
    const whole = redactor({ pattern: '^secret$' });
    for (const text of ['{"a":"secret"', '{"a":secret,', `'secret' "secret`, String.raw`{"a":"\u0073ecret",`]) {
      expect(whole.text(text).text).not.toMatch(/"secret|:secret/u);
    }
  });

  it('leaves text without a hit as it is', () => {
    expect(redactor({ pattern: 'secret' }).text(String.raw`{"a":"\u0041"`)).toEqual({ text: String.raw`{"a":"\u0041"`, cuts: 0 });
  });
});

describe('redaction leaks nothing', () => {
  const SECRET = 'S3CR3T';
  const rules = redactor({ pattern: SECRET });
  const key = fc.oneof(fc.string({ maxLength: 8 }), fc.constant(SECRET), fc.constant(`a${SECRET}b`), fc.constant('__proto__'));
  const leaf = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constant(SECRET),
    fc.string().map((s) => `${s}${SECRET}${s}`),
    fc.constant(JSON.stringify({ [SECRET]: JSON.stringify([SECRET]) })),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('tree'), { maxLength: 4 }), fc.dictionary(key, tie('tree'), { maxKeys: 4 })),
  }));

  it('of what was planted anywhere in data, keys included', () => {
    fc.assert(
      fc.property(fc.dictionary(key, tree), fc.constantFrom(...Object.values(FACT_EVENTS), undefined), (data, schema) => {
        // The queue is what the event is about, and stays.
        const { value, cut: paths } = rules.event(event({ ...data, queue: 'emails' }), schema);
        expect(JSON.stringify(value)).not.toContain(SECRET);
        expect(JSON.stringify(paths)).not.toContain(SECRET);
      }),
    );
  });

  it('of text cut off or broken anywhere, escaped or not', () => {
    const escaped = fc.array(fc.boolean(), { minLength: SECRET.length, maxLength: SECRET.length }).map((which) =>
      Array.from(SECRET).map((c, i) => (which[i] === true ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c)).join(''),
    );
    const noise = fc.string({ unit: fc.constantFrom(...Array.from('{}[]":,\\u0041 \n')), maxLength: 12 });
    fc.assert(
      fc.property(noise, escaped, noise, (before, secret, after) => {
        // A backslash right before the secret makes an escape of its first letter: then it is another word.
        const start = before.replace(/[\\u0-9]+$/u, '');
        const { text } = rules.text(start + secret + after);
        expect(decodedLoosely(text)).not.toContain(SECRET);
        expect(text).not.toContain(SECRET);
      }),
    );
  });
});

/** What a lenient reader would make of broken JSON. */
function decodedLoosely(text: string): string {
  return text.replaceAll(/\\u([0-9a-f]{4})/giu, (_match, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

describe('rules of redaction', () => {
  it.each([
    [{}, 'either'],
    [{ path: 'data.a', pattern: 'a' }, 'either'],
    [{ path: 'data..a' }, 'empty segment'],
    [{ path: '' }, 'empty segment'],
    [{ path: 'data.queue' }, 'names the event'],
    [{ path: 'subject' }, 'names the event'],
    [{ pattern: '(' }, 'regular expression'],
    [{ pattern: 'a*' }, 'empty text'],
    [{ pattern: '' }, 'empty text'],
  ])('refuses %j', (raw, part) => {
    const checked = redactionRule(raw);
    expect(checked.ok ? '' : checked.fault).toContain(part);
  });

  it('costs nothing without rules', () => {
    expect(compileRedaction([])).toBe(NO_REDACTION);
    const given = event({});
    expect(NO_REDACTION.event(given).value).toBe(given);
  });

  it('takes a pattern that is used elsewhere too, and has no g', () => {
    const rules = compileRedaction([{ match: { by: 'pattern', pattern: /secret/iu }, queue: null, replaceWith: 'x' }]);
    expect(rules.text('SECRET secret').text).toBe('x x');
  });
});
