import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonSpace, jsonText } from '#libs/testing';
import { scanJson } from '../http/read-json.js';
import { afterSpace, endOfValue } from './json-text.js';
import { jsonTree, type TextNode } from './json-tree.js';
import { memberSpan } from './member-span.js';
import { respelled, type Spell } from './respell.js';

describe('places in JSON text', () => {
  it('a value ends where its text ends, whatever follows', () => {
    fc.assert(
      fc.property(jsonText(), jsonSpace, fc.constantFrom('', ',1', ']', '}', ' '), (text, space, rest) => {
        const whole = `${space}${text}${rest}`;
        const from = afterSpace(whole, 0);
        expect(whole.slice(from, endOfValue(whole, from))).toBe(text);
      }),
    );
  });

  it('the payload of an event is found as it was sent, among any other members', () => {
    const beside = fc.array(fc.tuple(fc.constantFrom('x', 'dat', 'data2', 'payload', '\\u0064at'), jsonText(2)), { maxLength: 3 });
    fc.assert(
      fc.property(jsonText(), beside, beside, jsonSpace, (payload, before, after, s) => {
        const members = (list: readonly (readonly [string, string])[]) => list.map(([name, value]) => `"${name}"${s}:${s}${value}`);
        const data = `{${s}${[...members(before), `"pay\\u006coad"${s}:${s}${payload}`, ...members(after.filter(([name]) => name !== 'payload'))].join(`,${s}`)}${s}}`;
        const event = `{${[...members(before), `${s}"data":${data}`, ...members(after)].join(`${s},`)}}`;
        const span = memberSpan(event, 0, ['data', 'payload']);
        expect(span && event.slice(span.from, span.to)).toBe(payload);
      }),
    );
  });

  it('of keys that occur twice it is the one that JSON.parse has', () => {
    fc.assert(
      fc.property(jsonText(5), (text) => {
        const value = JSON.parse(text) as { data?: { payload?: unknown } | null } | null;
        if (!text.startsWith('{')) return;
        const span = memberSpan(text, 0, ['data', 'payload']);
        const data = value?.data;
        const expected = typeof data === 'object' && data !== null && Object.hasOwn(data, 'payload') ? data.payload : undefined;
        expect(span === undefined ? undefined : JSON.parse(text.slice(span.from, span.to))).toEqual(expected);
      }),
      { numRuns: 400 },
    );
    expect(memberSpan('{"data":{"payload":1},"data":{}}', 0, ['data', 'payload'])).toBeUndefined();
    expect(memberSpan('{"data":{"payload":1},"data":[]}', 0, ['data', 'payload'])).toBeUndefined();
    expect(memberSpan('{"data":{"payload":1},"data":{"payload":2,"payload":3}}', 0, ['data', 'payload'])).toEqual({ from: 52, to: 53 });
  });

  it('the elements of a batch are where they stand, whatever is in them', () => {
    fc.assert(
      fc.property(fc.array(jsonText(3), { maxLength: 5 }), jsonSpace, (texts, s) => {
        const batch = `${s}[${s}${texts.map((text) => `${s}${text}`).join(`${s},`)}${s}]`;
        const places = scanJson(batch).elements.map(({ from, to }) => batch.slice(from, to));
        expect(places).toEqual(texts.filter((text) => text.startsWith('{') || text.startsWith('[')));
      }),
    );
  });
});

describe('a tree of JSON text', () => {
  it('means what JSON.parse reads, and every part of it stands where it says', () => {
    fc.assert(
      fc.property(jsonText(), (text) => {
        const { root } = jsonTree(text, { leaf: (source) => JSON.parse(source) as unknown });
        expect(root.value).toEqual(JSON.parse(text));
        const everywhere = (node: TextNode): void => {
          expect(JSON.parse(text.slice(node.from, node.to))).toEqual(node.value);
          for (const child of [...(node.items ?? []), ...(node.members ?? []).map((member) => member.node)]) everywhere(child);
        };
        everywhere(root);
      }),
    );
  });

  it('shows all of the values that a key has, and the digits of numbers', () => {
    const { root, repeats } = jsonTree('{"a":1.0,"\\u0061":[2],"b":3}', { repeated: 'all' });
    expect(repeats).toBe(true);
    expect(JSON.stringify(root.value)).toBe('{"a":[1.0,[2]],"b":3}');
    expect(jsonTree('{"a":1,"b":{"a":1}}').repeats).toBe(false);
  });
});

describe('a text that is written anew', () => {
  /** What stays is taken from the old text, what is new as `JSON.stringify` has it. */
  const written = (text: string, change: (value: never) => unknown): string => {
    const { root } = jsonTree(text, { leaf: (source) => JSON.parse(source) as unknown });
    const spell: Spell = (value, before) => {
      if (before === undefined) return JSON.stringify(value);
      if (value === before.value) return text.slice(before.from, before.to);
      return respelled(text, before, value, spell) ?? JSON.stringify(value);
    };
    return spell(change(root.value as never), root);
  };

  it('is the same where nothing was changed', () => {
    fc.assert(
      fc.property(jsonText(), (text) => {
        // A copy at every level, so that every level is written anew.
        const copied = (value: unknown): unknown =>
          Array.isArray(value) ? value.map(copied) : typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, copied(v)])) : value;
        const { repeats } = jsonTree(text);
        if (!repeats && !text.includes('__proto__')) expect(written(text, copied)).toBe(text);
      }),
    );
  });

  it.each<[string, string, (value: never) => unknown, string]>([
    ['replaces one value', '{ "a" : 1.0 ,\n "b" : [1e2, "\\u0061"] }', (v: { a: unknown }) => ({ ...v, a: 2 }), '{ "a" : 2 ,\n "b" : [1e2, "\\u0061"] }'],
    ['takes the first one out', '{\n  "a": 1,\n  "b": 2.0\n}', ({ b }: { b: unknown }) => ({ b }), '{\n  "b": 2.0\n}'],
    ['takes the last one out', '{\n  "a": 1,\n  "b": 2.0\n}', ({ a }: { a: unknown }) => ({ a }), '{\n  "a": 1\n}'],
    ['adds one', '{\n  "a": 1.0\n}', (v: object) => ({ ...v, c: [3] }), '{\n  "a": 1.0,"c": [3]\n}'],
    ['adds one to several, set like them', '{\n  "a": 1,\n  "b": 2\n}', (v: object) => ({ ...v, c: 3 }), '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}'],
    ['adds to what is empty', '[ ]', () => [1], '[1]'],
    ['leaves nothing', '[ 1 , 2 ]', () => [], '[]'],
    ['another kind', '[ 1 , 2 ]', () => ({ a: 1 }), '{"a":1}'],
  ])('%s', (_, text, change, expected) => {
    expect(written(text, change)).toBe(expected);
  });
});
