import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from '#libs/testing';
import { applyJsonPatch } from './apply-patch.js';
import { bodyDifference } from './difference.js';

const LIMITS = { operations: 1_000, bytes: 10_000 };
const apply = (body: string, ...operations: (object | string)[]) =>
  applyJsonPatch(body, `[${operations.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(',')}]`, LIMITS);
const patched = (body: string, ...operations: (object | string)[]) => {
  const result = apply(body, ...operations);
  return result.ok ? result.text : result;
};

const ODD = '{ "a" : 1.0 ,\n "b": [ 1e2, {"c":"\\u0061" } , 12345678901234567890 ], "k": 1, "k": 2 }';

describe('a JSON Patch on a body', () => {
  it('changes nothing but what it names: no operation leaves every byte', () => {
    fc.assert(
      fc.property(jsonText(), (text) => {
        expect(patched(text)).toBe(text);
      }),
    );
  });

  it('and what is added and taken out again leaves every other byte', () => {
    fc.assert(
      fc.property(jsonText(3), jsonText(2), (left, right) => {
        const body = `{ "l" : ${left} ,\n "r":[ ${right} , ${left} ] }`;
        const same = patched(body, { op: 'add', path: '/x', value: [1] }, { op: 'move', from: '/x', path: '/y' }, { op: 'remove', path: '/y' });
        expect(same).toBe(body);
        expect(patched(body, { op: 'copy', from: '/l', path: '/r/0' })).toBe(`{ "l" : ${left} ,\n "r":[ ${left} , ${right} , ${left} ] }`);
      }),
    );
  });

  it.each<[string, (object | string)[], string]>([
    ['replaces one value, in the words of the patch', ['{"op":"replace","path":"/a","value":2.50}'], ODD.replace('1.0', '2.50')],
    ['tells long numbers apart', [{ op: 'test', path: '/a', value: 1 }, '{"op":"replace","path":"/b/2","value":12345678901234567891}'], ODD.replace('890 ]', '891 ]')],
    ['removes an element', [{ op: 'remove', path: '/b/0' }], '{ "a" : 1.0 ,\n "b": [ {"c":"\\u0061" }, 12345678901234567890 ], "k": 1, "k": 2 }'],
    ['moves with its words', [{ op: 'move', from: '/b/1', path: '/d' }], '{ "a" : 1.0 ,\n "b": [ 1e2, 12345678901234567890 ], "k": 1, "k": 2, "d" : {"c":"\\u0061" } }'],
    ['moves within an array, counted after it was taken out', [{ op: 'move', from: '/b/0', path: '/b/2' }], '{ "a" : 1.0 ,\n "b": [ {"c":"\\u0061" }, 12345678901234567890 , 1e2 ], "k": 1, "k": 2 }'],
    ['appends', [{ op: 'add', path: '/b/-', value: null }], '{ "a" : 1.0 ,\n "b": [ 1e2, {"c":"\\u0061" } , 12345678901234567890 , null ], "k": 1, "k": 2 }'],
    ['replaces a key that stands twice, once', [{ op: 'replace', path: '/k', value: 3 }], ODD.replace('"k": 1, "k": 2', '"k": 3')],
    ['replaces everything', [{ op: 'replace', path: '', value: [] }], '[]'],
    ['reads escapes in pointers', [{ op: 'add', path: '/~1~0', value: 1 }, { op: 'remove', path: '/b' }], '{ "a" : 1.0, "k": 1, "k": 2, "/~" : 1 }'],
    ['may name what a key happens to be called', [{ op: 'add', path: '/toString', value: 1 }, { op: 'remove', path: '/toString' }], ODD],
    ['copies apart: what is done to one is not done to the other', [{ op: 'copy', from: '/b/1', path: '/b/1' }, { op: 'replace', path: '/b/1/c', value: 'x' }, { op: 'remove', path: '/b/0' }], '{ "a" : 1.0 ,\n "b": [ {"c":"x" }, {"c":"\\u0061" } , 12345678901234567890 ], "k": 1, "k": 2 }'],
  ])('%s', (_, operations, expected) => {
    expect(patched(ODD, ...operations)).toBe(expected);
  });

  it('tests by what JSON means', () => {
    const value = { b: [100, { c: 'a' }, 12345678901234567890n], k: 2, a: 1 };
    const text = JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? '§' : v)).replace('"§"', '12345678901234567890.0');
    expect(apply(ODD, `{"op":"test","path":"","value":${text}}`)).toMatchObject({ ok: true });
    expect(apply(ODD, `{"op":"test","path":"/b/2","value":12345678901234567891}`)).toMatchObject({ ok: false, code: 'patch_test_failed' });
    for (const [a, b] of [['100', '1e2'], ['0', '-0.0e5'], ['1.50', '15e-1']]) expect(apply(`[${a!}]`, `{"op":"test","path":"/0","value":${b!}}`)).toMatchObject({ ok: true });
  });

  it.each<[string, object | string, object]>([
    ['no array', '', { code: 'patch_invalid', operation: null }],
    ['an unknown operation', { op: 'set', path: '/a' }, { code: 'patch_invalid', operation: 0 }],
    ['no path', { op: 'remove' }, { code: 'patch_invalid' }],
    ['no pointer', { op: 'remove', path: 'a' }, { code: 'patch_invalid', path: 'a' }],
    ['no escape', { op: 'remove', path: '/a~2' }, { code: 'patch_invalid', path: '/a~2' }],
    ['a value without a bottom', `{"op":"add","path":"/x","value":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, { code: 'patch_invalid', operation: null }],
    ['no value', { op: 'add', path: '/a' }, { code: 'patch_invalid', path: '/a' }],
    ['no from', { op: 'move', path: '/a' }, { code: 'patch_invalid' }],
    ['the prototype', { op: 'add', path: '/__proto__/x', value: 1 }, { code: 'patch_path_refused', path: '/__proto__/x' }],
    ['the constructor', { op: 'copy', from: '/constructor', path: '/x' }, { code: 'patch_path_refused', path: '/constructor' }],
    ['a prototype in a value', '{"op":"add","path":"/x","value":[{"__proto__":{"y":1}}]}', { code: 'patch_path_refused', path: '/x' }],
    ['what is not there', { op: 'replace', path: '/x', value: 1 }, { code: 'patch_does_not_apply', path: '/x' }],
    ['what objects inherit', { op: 'remove', path: '/toString' }, { code: 'patch_does_not_apply', path: '/toString' }],
    ['a letter of a string', { op: 'copy', from: '/b/1/c/0', path: '/x' }, { code: 'patch_does_not_apply', path: '/b/1/c/0' }],
    ['the length of an array', { op: 'test', path: '/b/length', value: 3 }, { code: 'patch_test_failed', path: '/b/length' }],
    ['behind the end', { op: 'add', path: '/b/4', value: 1 }, { code: 'patch_does_not_apply', path: '/b/4' }],
    ['no index', { op: 'replace', path: '/b/01', value: 1 }, { code: 'patch_does_not_apply', path: '/b/01' }],
    ['into itself', { op: 'move', from: '/b', path: '/b/0' }, { code: 'patch_does_not_apply', path: '/b/0' }],
    ['the body away', { op: 'remove', path: '' }, { code: 'patch_does_not_apply', path: '' }],
    ['another value', { op: 'test', path: '/a', value: '1' }, { code: 'patch_test_failed', path: '/a', operation: 0 }],
    ['too large a value', { op: 'add', path: '/x', value: 'x'.repeat(10_000) }, { code: 'payload_too_large' }],
  ])('refuses %s, and says where', (_, operation, fault) => {
    const result = operation === '' ? applyJsonPatch(ODD, '{}', LIMITS) : apply(ODD, operation);
    expect(result).toMatchObject({ ok: false, ...fault });
  });

  it('is bounded in operations, and cannot blow a body up by copying it into itself', () => {
    const many = Array.from({ length: 1_001 }, () => ({ op: 'test', path: '/a', value: 1 }));
    expect(apply(ODD, ...many)).toMatchObject({ ok: false, code: 'patch_too_long' });
    const doubling = Array.from({ length: 1_000 }, (_, i) => ({ op: 'copy', from: '', path: `/x${String(i)}` }));
    expect(apply(ODD, ...doubling)).toMatchObject({ ok: false, code: 'payload_too_large' });
    const coming = Array.from({ length: 400 }, () => [{ op: 'copy', from: '/b', path: '/x' }, { op: 'remove', path: '/x' }]).flat();
    expect(patched(ODD, ...coming)).toBe(ODD);
  });

  it('leaves the prototype of objects alone', () => {
    expect(patched('{"__proto__": {"a":1.0}, "b":1}', { op: 'copy', from: '', path: '/c' })).toBe('{"__proto__": {"a":1.0}, "b":1, "c": {"__proto__": {"a":1.0}, "b":1}}');
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});

describe('the difference of two bodies', () => {
  it('names the places, with the words that stand there', () => {
    expect(bodyDifference('{"a":1.0,"b":[1,2],"c":{"d":"\\u0061"}}', '{"c":{"d":"a","e":1e2},"b":[1],"a":2}', 10)).toEqual([
      { path: '/a', before: '1.0', after: '2' },
      { path: '/b/1', before: '2' },
      { path: '/c/e', after: '1e2' },
    ]);
    expect(bodyDifference('[1,2,3]', '{}', 10)).toEqual([{ path: '', before: '[1,2,3]', after: '{}' }]);
    expect(bodyDifference('[1,2,3]', '[4,5,6]', 2)).toHaveLength(2);
  });
});
