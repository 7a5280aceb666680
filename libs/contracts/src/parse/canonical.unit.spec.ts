import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactly } from '../json.js';
import { canonicalJson } from './canonical.js';

function textOf(value: unknown): string {
  const result = canonicalJson(value, 1_000);
  return 'text' in result ? result.text : result.fault;
}

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown, turn: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, turn));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, shuffled(item, turn)] as const);
  const cut = entries.length === 0 ? 0 : turn % entries.length;
  const turned = [...entries.slice(cut), ...entries.slice(0, cut)];
  if (turn % 2 === 1) turned.reverse();
  const result = Object.create(Object.prototype) as Record<string, unknown>;
  for (const [key, item] of turned) {
    Object.defineProperty(result, key, { value: item, enumerable: true, configurable: true, writable: true });
  }
  return result;
}

describe('canonical JSON', () => {
  it('does not depend on the order of keys, at any depth', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(), (value, turn) => {
        expect(textOf(shuffled(value, turn))).toBe(textOf(value));
      }),
    );
  });

  it('means the same as what it was made of', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(JSON.parse(textOf(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('tells the order of an array, a string from a number, and null from nothing', () => {
    expect(textOf([1, 2])).not.toBe(textOf([2, 1]));
    expect(textOf({ a: '1' })).not.toBe(textOf({ a: 1 }));
    expect(textOf({ a: null })).not.toBe(textOf({}));
  });

  it('keeps keys that look like numbers, and one called __proto__', () => {
    expect(textOf(JSON.parse('{"b":1,"10":2,"9":3,"__proto__":{"y":1,"x":2}}'))).toBe(
      textOf(JSON.parse('{"__proto__":{"x":2,"y":1},"9":3,"10":2,"b":1}')),
    );
    expect(textOf(JSON.parse('{"z":1,"__proto__":{"x":2}}'))).toContain('"__proto__":{"x":2}');
  });

  it('keeps the digits of integers beyond 2^53', () => {
    expect(textOf(parseExactly('{"z":12345678901234567890,"a":12345678901234567891}'))).toBe(
      '{"a":12345678901234567891,"z":12345678901234567890}',
    );
  });

  it('takes no time exponential in the depth, sorted or not', () => {
    let value: unknown = { b: 1, a: 2 };
    for (let i = 0; i < 200; i += 1) value = { a: value, b: value === null };
    expect(textOf(value)).toContain('{"a":2,"b":1}');
  });

  it('says when something is nested too deep, or no number', () => {
    expect(canonicalJson([[[]]], 3)).toEqual({ text: '[[[]]]' });
    expect(canonicalJson([[[]]], 2)).toEqual({ fault: 'too_deep' });
    expect(canonicalJson({ a: Infinity }, 3)).toEqual({ fault: 'not_finite' });
  });
});
