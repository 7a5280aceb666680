import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonSpace, jsonText } from '#libs/testing';
import { readHttpEvents } from '../http/read-http-events.js';
import { readKafkaRecord } from '../kafka/read-record.js';
import { compileRedaction } from '../redaction/compile.js';
import type { RedactionRule } from '../redaction/rules.js';
import { parseContext, type ParseContext } from './context.js';
import { parseEvent } from './parse-event.js';

const hashKey = Buffer.alloc(32, 7);
const context = parseContext({ hashKey });
const never: RedactionRule = { match: { by: 'pattern', pattern: /nothing has this/gu }, queue: null, replaceWith: 'x' };
const withRules = parseContext({ hashKey, redactor: compileRedaction([never]) });

const eventOf = (payload: string, space = '') =>
  `{"specversion":"1.0",${space}"id":"e","source":"/s","type":"jobwarden.job.queued.v1","subject":"j","data":${space}{"queue":"q",${space}"payload"${space}:${space}${payload}${space}}}`;
const failureOf = (snapshot: string) =>
  `{"specversion":"1.0","id":"f","source":"/s","type":"jobwarden.job.failed.v1","subject":"j","data":{"payloadSnapshot": ${snapshot} ,"queue":"q","error":{"class":"E","message":"m"}}}`;

function read(body: string, given: ParseContext = context, contentType = 'application/json', headers = {}) {
  const request = readHttpEvents({ contentType, headers, body: Buffer.from(body) });
  if (!request.ok) throw new Error(request.problem.detail);
  return request.events.map((event, i) => parseEvent(event, given, request.texts[i]));
}

function bodies(body: string, given?: ParseContext, contentType?: string, headers?: object): string[] {
  return read(body, given, contentType, headers).map((parsed) => (parsed.ok ? Buffer.from(parsed.bodies[0]!.bytes).toString() : parsed.detail));
}

/** `JSON.parse` makes no number of it. */
const isFinite = (text: string) => !/e\+?\d{3}|\de\+?[1-9]\d{2}/iu.test(text);

describe('a body', () => {
  it.each([
    ['without rules', context],
    ['with rules that touch nothing', withRules],
  ])('comes back byte for byte, %s: alone, in a batch, as data beside its headers, from Kafka, as a snapshot', (_, given) => {
    const headers = { 'ce-specversion': '1.0', 'ce-id': 'e', 'ce-source': '/s', 'ce-type': 'jobwarden.job.queued.v1', 'ce-subject': 'j' };
    fc.assert(
      fc.property(jsonText(), jsonText(2), jsonSpace, (payload, other, space) => {
        fc.pre(isFinite(payload) && isFinite(other));
        expect(bodies(eventOf(payload, space), given)).toEqual([payload]);
        expect(bodies(`[${space}${eventOf(other)},${failureOf(payload)}, ${eventOf(payload, space)}${space}]`, given)).toEqual([other, payload, payload]);
        expect(bodies(`${space}{"payload":${payload}, "queue":"q"}`, given, 'application/json', headers)).toEqual([payload]);
        const record = readKafkaRecord({ key: null, value: Buffer.from(eventOf(payload, space)), headers: {} }, given).parsed;
        expect(record.ok && Buffer.from(record.bodies[0]!.bytes).toString()).toBe(payload);
      }),
    );
  });

  it('in other words is the same event, and another value is not', () => {
    const hash = (payload: string) => read(eventOf(payload)).map((parsed) => parsed.ok && parsed.contentHash.toString('hex'))[0];
    expect(hash('{ "b": 1.0, "a": "\\u0061" }')).toBe(hash('{"a":"a","b":1}'));
    expect(hash('{"a":"a","b":2}')).not.toBe(hash('{"a":"a","b":1}'));
  });

  it('without its text is written as JSON.stringify does', () => {
    const parsed = parseEvent(JSON.parse(eventOf('{ "a": 1.0 }')), context);
    expect(parsed.ok && Buffer.from(parsed.bodies[0]!.bytes).toString()).toBe('{"a":1}');
  });

  it('waits in quarantine as it was sent', () => {
    const unknown = eventOf('{ "a": 1.0 }').replace('queued.v1', 'queued.v9');
    for (const given of [context, withRules]) {
      const [parsed] = read(`[ ${unknown} ]`, given);
      expect(parsed?.ok === false && Buffer.from(parsed.bytes).toString()).toBe(unknown);
    }
    const headers = { 'ce-id': 'e', 'ce-type': 'jobwarden.job.new.v1' };
    const [binary] = read('{ "payload": 1.0 }', context, 'application/json', headers);
    expect(binary?.ok === false && Buffer.from(binary.bytes).toString()).toBe('{"id":"e","type":"jobwarden.job.new.v1","datacontenttype":"application/json","data":{ "payload": 1.0 }}');
  });
});

describe('redaction of a body', () => {
  const rules = (...given: RedactionRule['match'][]) =>
    parseContext({ hashKey, redactor: compileRedaction(given.map((match) => ({ match, queue: null, replaceWith: 'x' }))) });
  const path = (text: string) => ({ by: 'path', path: text.split('.') }) as const;
  const pattern = (source: string) => ({ by: 'pattern', pattern: new RegExp(source, 'gu') }) as const;

  it.each<[string, ParseContext, string, string]>([
    ['writes only the touched value anew', rules(path('data.payload.card')), '{ "card" : "4111" ,\n"price": 1.0, "x": "\\u0061" }', '{ "card" : "x" ,\n"price": 1.0, "x": "\\u0061" }'],
    ['in a list as well', rules(path('data.payload.cards.no')), '{ "cards": [ { "no": 1e2 } , {"no" :2.0,"a":3.0} ] }', '{ "cards": [ { "no": "x" } , {"no" :"x","a":3.0} ] }'],
    ['a part of a string', rules(pattern('secret')), '[ "a \\u0073ecret", 1.0 ]', '[ "a x", 1.0 ]'],
    ['a key', rules(pattern('secret')), '{ "a": 1.0, "secret": {"b": 2.0} }', '{ "a": 1.0, "x": {"b":2.0} }'],
    ['a number by what it is', rules(pattern('^4111$')), '{"a": 4111.0, "b": 0.4111e4, "c": 1.0}', '{"a": "x", "b": "x", "c": 1.0}'],
    ['a number by its digits', rules(pattern('123456789012')), '{"a": 0.1234567890123456789, "b": 1.0}', '{"a": "0.x3456789", "b": 1.0}'],
    ['the first of two of one name, which nobody else reads', rules(path('data.payload.card')), '{"card": "4111", "b": 1.0, "card": "-"}', '{"card":"x","b":1}'],
    ['the first of two, found by a pattern', rules(pattern('4111')), '{"a": {"c": "4111", "c": "-"}, "b": 1.0}', '{"a":{"c":"-"},"b":1}'],
    ['two of one name that no rule touches stay', rules(pattern('4111')), '{"a": {"c": "1", "c": "-"}, "b": 1.0}', '{"a": {"c": "1", "c": "-"}, "b": 1.0}'],
    ['everything', rules(path('data.payload')), '{ "a": 1.0 }', '"x"'],
  ])('%s', (_, given, payload, kept) => {
    expect(bodies(eventOf(payload), given)).toEqual([kept]);
  });

  it('never leaves what a rule cuts, however it is written', () => {
    const given = rules(pattern('4111'), path('**.a'));
    const seen = (text: string): string[] => {
      const found: string[] = [];
      const walk = (value: unknown): void => {
        if (typeof value === 'object' && value !== null) {
          found.push(...Object.keys(value));
          Object.values(value).forEach(walk);
        } else found.push(String(value));
      };
      walk(JSON.parse(text));
      return found;
    };
    const planted = fc.constantFrom('"4111"', '"\\u0034111"', '4111', '4111.0', '41110e-1');
    fc.assert(
      fc.property(jsonText(2), planted, jsonText(2), (left, secret, right) => {
        fc.pre(isFinite(left) && isFinite(right));
        const [kept = ''] = bodies(eventOf(`{ "k": ${left}, "s": ${secret}, "k": [ ${secret} , ${right} ] , "s" : ${left} }`), given);
        expect(seen(kept).filter((word) => word.includes('4111'))).toEqual([]);
        expect(kept).not.toMatch(/4111|41110e-1/u);
      }),
    );
  });

  it('keeps no secret that stands twice in an event of an unknown type', () => {
    const event = eventOf('{"card": "4111", "card": "-"}').replace('queued.v1', 'queued.v9');
    const [parsed] = read(event, rules(pattern('4111')));
    expect(parsed?.ok === false && Buffer.from(parsed.bytes).toString()).not.toContain('4111');
  });
});
