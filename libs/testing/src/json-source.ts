import fc from 'fast-check';

/** JSON texts as any program may write them: white space everywhere, escapes, odd numbers, keys that occur twice. */
const space = fc.stringMatching(/^[ \n\r\t]{0,3}$/u);
const number = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '1e2', '1E+2', '-1.50e-3', '9007199254740993', '123456789012345678901234567890', '0.10', '1e-7'),
  fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})([.][0-9]{1,20})?([eE][+-]?[0-9]{1,2})?$/u),
);
const unit = fc.oneof(
  fc.constantFrom('a', 'é', '🦊', ' ', ',', ':', '{', '}', '[', ']', '/', '\u2028'),
  fc.constantFrom('\\"', '\\\\', '\\/', '\\n', '\\u0061', '\\u00e9', '\\ud83e\\udd8a', '\\u0000', '\\ud800', '\\\\\\"'),
);
const string = fc.array(unit, { maxLength: 6 }).map((units) => `"${units.join('')}"`);
/**
 * Keys of one character are never written as an escape: once V8 has read an object with the key `\\`, JSON.parse reads such
 * a key of another object as `\\` too (https://github.com/nodejs/node/issues/63785), and these texts are compared with it.
 */
const key = fc
  .oneof(string, fc.constantFrom('"data"', '"payload"', '"pay\\u006coad"', '"a"', '"ab"', '"__proto__"', '"10"', '"\\u0061b"'))
  .filter((text) => text.length <= 3 || (JSON.parse(text) as string).length !== 1);
const leaf = fc.oneof(number, string, fc.constantFrom('true', 'false', 'null'));

/** Any JSON text without white space around it, at most `depth` deep. */
export function jsonText(depth = 4): fc.Arbitrary<string> {
  if (depth === 0) return leaf;
  const item = fc.tuple(space, fc.oneof({ weight: 2, arbitrary: leaf }, { weight: 3, arbitrary: jsonText(depth - 1) }), space).map((parts) => parts.join(''));
  const member = fc.tuple(space, key, space, item).map(([a, name, b, value]) => `${a}${name}${b}:${value}`);
  const inside = (part: fc.Arbitrary<string>) => fc.oneof(space, fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(',')));
  return fc.oneof({ weight: 1, arbitrary: leaf }, { weight: 2, arbitrary: inside(item).map((s) => `[${s}]`) }, { weight: 4, arbitrary: inside(member).map((s) => `{${s}}`) });
}

/** White space, as it may stand around any value. */
export const jsonSpace = space;
