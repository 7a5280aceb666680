import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EXAMPLES } from '../examples.js';
import { DEFAULT_LIMITS } from '../limits.js';
import { parseContext } from '../parse/context.js';
import { parseEvent } from '../parse/parse-event.js';
import { compileRedaction } from '../redaction/compile.js';
import type { HttpHeaders } from './binary-mode.js';
import { readHttpEvents, unreadableBytes } from './read-http-events.js';
import { scanJson } from './read-json.js';

const STRUCTURED = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';
const JSON_TYPE = 'application/json';

function read(contentType: string | undefined, body: unknown, headers: HttpHeaders = {}, limits = {}) {
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const result = readHttpEvents({ contentType, headers, body: text }, { ...DEFAULT_LIMITS, ...limits });
  if (!result.ok) return result;
  const { ok, mode, events } = result;
  return { ok, mode, events };
}

function problem(...given: Parameters<typeof read>) {
  const result = read(...given);
  if (result.ok) throw new Error('was read');
  return result.problem;
}

const event = EXAMPLES['jobwarden.job.queued.v1'] as unknown as Record<string, unknown>;

describe('CloudEvents over HTTP', () => {
  it.each([
    [STRUCTURED, event, 'structured', [event]],
    ['Application/CloudEvents+JSON; charset=UTF-8', event, 'structured', [event]],
    [BATCH, [event, event], 'batch', [event, event]],
    [BATCH, [], 'batch', []],
    [JSON_TYPE, event, 'structured', [event]],
    ['application/json; charset="utf-8"', [event], 'batch', [event]],
    [JSON_TYPE, 'null', 'structured', [null]],
    [BATCH, [1, 'x', null], 'batch', [1, 'x', null]],
  ])('reads %s', (type, body, mode, events) => {
    expect(read(type, body)).toEqual({ ok: true, mode, events });
  });

  it('takes bytes as well as text, and drops a byte order mark', () => {
    const text = JSON.stringify(event);
    const read1 = read(STRUCTURED, Buffer.from(`\ufeff${text}`));
    expect(read1).toEqual({ ok: true, mode: 'structured', events: [event] });
    expect(read(STRUCTURED, `\ufeff${text}`)).toEqual(read1);
  });

  it('puts an event of binary mode together from its headers', () => {
    const headers = {
      'CE-Specversion': '1.0',
      'ce-id': 'queued-1',
      'ce-source': '/services/mailer',
      'ce-subject': 'welcome%2F8412 %F0%9F%A6%8A',
      'ce-type': 'jobwarden.job.queued.v1',
      'ce-tenant': '"a \\"b\\""',
      'content-type': JSON_TYPE,
      host: 'x',
    };
    expect(read(JSON_TYPE, { queue: 'emails' }, headers)).toEqual({
      ok: true,
      mode: 'binary',
      events: [
        {
          specversion: '1.0',
          id: 'queued-1',
          source: '/services/mailer',
          subject: 'welcome/8412 🦊',
          type: 'jobwarden.job.queued.v1',
          tenant: 'a "b"',
          datacontenttype: JSON_TYPE,
          data: { queue: 'emails' },
        },
      ],
    });
  });

  it('means the same in binary and in structured mode', () => {
    const context = parseContext({ hashKey: Buffer.alloc(32) });
    const { data, ...attributes } = event;
    const headers = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [`ce-${key}`, value as string]));
    const binary = read(JSON_TYPE, data, headers);
    const structured = read(STRUCTURED, event);
    const [a, b] = [binary, structured].map((r) => (r.ok ? parseEvent(r.events[0], context) : undefined));
    expect(a).toMatchObject({ ok: true });
    expect(a).toEqual(b);
  });

  it.each([
    ['100%', '100%'],
    ['%zz%41', '%zzA'],
    ['%ff', '%ff'],
    ['a%252Fb', 'a%2Fb'],
    [Buffer.from('é🦊').toString('latin1'), 'é🦊'],
    ['\u00e9', '\u00e9'],
    ['"', '"'],
    ['', ''],
  ])('reads the header %j', (raw, expected) => {
    const result = read(JSON_TYPE, {}, { 'ce-id': '1', 'ce-subject': raw });
    expect(result.ok ? result.events[0] : result).toMatchObject({ subject: expected });
  });

  it('leaves an event of binary mode without data to its schema', () => {
    const result = read(JSON_TYPE, '', { 'ce-id': '1', 'ce-type': 'jobwarden.job.queued.v1' });
    expect(result).toEqual({ ok: true, mode: 'binary', events: [{ id: '1', type: 'jobwarden.job.queued.v1', datacontenttype: JSON_TYPE }] });
  });
});

describe('a body that cannot be read', () => {
  it.each([
    [STRUCTURED, '{"a":', 'not JSON'],
    [STRUCTURED, '', 'empty'],
    [STRUCTURED, '  ', 'empty'],
    [STRUCTURED, [event], 'not an array'],
    [BATCH, event, 'must be a JSON array'],
    [STRUCTURED, Buffer.from([0x7b, 0xff, 0x7d]), 'not UTF-8'],
    [STRUCTURED, '{"a":NaN}', 'not JSON'],
    [STRUCTURED, "{'a':1}", 'not JSON'],
  ])('%s %j is a 400 that says what to send', (type, body, part) => {
    const found = problem(type, body);
    expect(found).toMatchObject({ status: 400, code: 'unreadable' });
    expect(found.detail).toContain(part);
    expect(found.detail).toContain('Send one event as application/cloudevents+json');
  });

  it('quotes nothing of the body', () => {
    expect(JSON.stringify(problem(STRUCTURED, '{"password":hunter2}'))).not.toContain('hunter2');
  });

  it.each([undefined, '', 'text/plain', 'application/x-www-form-urlencoded', 'application/cloudevents+avro', 'application/cloudevents', 'application/xml', `${JSON_TYPE}; charset=utf-16`])(
    'of type %j is a 415 that lists what is accepted',
    (type) => {
      const found = problem(type, event);
      expect(found).toMatchObject({ status: 415, code: 'unsupported_media_type' });
      for (const accepted of [STRUCTURED, BATCH, JSON_TYPE]) expect(found.detail).toContain(accepted);
    },
  );

  it('is kept as sent, or with what the pattern rules cut', () => {
    const redactor = compileRedaction([{ match: { by: 'pattern', pattern: /secret/gu }, queue: null, replaceWith: 'x' }]);
    const clean = Buffer.from([0x7b, 0xff, 0x7d]);
    expect(unreadableBytes(clean, redactor)).toEqual({ bytes: clean, cuts: 0 });
    const dirty = Buffer.concat([clean, Buffer.from(String.raw`"\u0073ecret`)]);
    const kept = unreadableBytes(dirty, redactor);
    expect(kept.cuts).toBe(1);
    expect(Buffer.from(kept.bytes).toString()).toBe('{\ufffd}"x');
    for (const utf16 of [Buffer.from('{"a":"secret"}', 'utf16le'), Buffer.from('{"a":"secret"}', 'utf16le').swap16()]) {
      expect(Buffer.from(unreadableBytes(utf16, redactor).bytes).toString()).toBe('{"a":"x"}');
    }
    const wide = Buffer.from('{"a":1}', 'utf16le');
    expect(unreadableBytes(wide, redactor)).toEqual({ bytes: wide, cuts: 0 });
  });
});

describe('limits of a body', () => {
  it('counts its bytes', () => {
    const body = JSON.stringify({ a: 'é' });
    expect(read(STRUCTURED, body, {}, { bodyBytes: 10 }).ok).toBe(true);
    for (const sent of [body, Buffer.from(body)]) {
      expect(problem(STRUCTURED, sent, {}, { bodyBytes: 9 })).toMatchObject({ status: 413, code: 'too_large' });
    }
    expect(problem(STRUCTURED, body, {}, { bodyBytes: 9 }).detail).toContain('10 bytes, over the limit of 9 (limits.body)');
  });

  it('counts its events', () => {
    expect(read(BATCH, Array(1_000).fill(1)).ok).toBe(true);
    expect(problem(BATCH, Array(1_001).fill(1))).toMatchObject({ status: 413 });
    expect(problem(BATCH, Array(1_001).fill(1)).detail).toContain('1001 events, over the limit of 1000 (limits.batch)');
  });

  it('refuses absurd nesting before parsing, and leaves a little too much to the event’s own check', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(read(BATCH, nested(200)).ok).toBe(true);
    expect(problem(STRUCTURED, `{"a":${nested(256)}}`)).toMatchObject({ status: 413 });
    expect(problem(BATCH, '['.repeat(1_000_000))).toMatchObject({ status: 413, code: 'too_large' });
    expect(read(STRUCTURED, JSON.stringify({ a: nested(500) })).ok).toBe(true);
  });
});

describe('JSON', () => {
  const valueOf = (text: string) => {
    const result = read(STRUCTURED, text);
    return result.ok ? (result.events[0] as Record<string, unknown>) : undefined;
  };

  it('takes the last of two equal keys, and __proto__ for a key', () => {
    expect(valueOf('{"a":1,"a":2}')).toEqual({ a: 2 });
    const value = valueOf('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    expect(Object.keys(value ?? {})).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(value?.['polluted']).toBeUndefined();
  });

  it('keeps the digits of integers that a double would change, and no others', () => {
    const text = '{"a":9007199254740993,"b":[-12345678901234567890],"c":9007199254740991,"d":0.1234567890123456789,"e":1e21}';
    expect(JSON.stringify(valueOf(text))).toBe(
      '{"a":9007199254740993,"b":[-12345678901234567890],"c":9007199254740991,"d":0.12345678901234568,"e":1e+21}',
    );
    expect(valueOf('{"a":"9007199254740993"}')).toEqual({ a: '9007199254740993' });
  });

  it('is scanned for depth as the parser would find it', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(scanJson(JSON.stringify(value)).depth).toBe(depthOf(value));
        expect(scanJson(JSON.stringify(value, null, 2)).depth).toBe(depthOf(value));
      }),
    );
  });

  it('is scanned in time linear in its length, whatever it holds', () => {
    for (const unit of ['"', '\\', '\\"', '"\\\\"', '[', '{"a":', '1']) {
      const started = performance.now();
      scanJson(unit.repeat(1_048_576 / unit.length));
      expect(performance.now() - started).toBeLessThan(1_000);
    }
  });

  it('never throws, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(STRUCTURED, BATCH, JSON_TYPE, ''), fc.string()),
        fc.oneof(fc.string(), fc.json(), fc.uint8Array()),
        fc.dictionary(fc.constantFrom('ce-id', 'ce-type', 'ce-__proto__', 'ce-', 'x'), fc.string()),
        (type, body, headers) => {
          const result = readHttpEvents({ contentType: type, headers, body });
          expect(result.ok || result.problem.detail !== '').toBe(true);
        },
      ),
    );
  });
});
