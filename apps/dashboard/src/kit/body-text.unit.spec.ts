import { describe, expect, it } from 'vitest';
import { bodyText } from './body-text';
import { indentJson } from './indent-json';

describe('JSON that is only indented', () => {
  it('keeps every value as it was written, and keys that stand twice', () => {
    expect(indentJson('{"n":90071992547409931,"x":1.0,"y":1e2,"x":"a\\"b: {}"}')).toBe('{\n  "n": 90071992547409931,\n  "x": 1.0,\n  "y": 1e2,\n  "x": "a\\"b: {}"\n}');
    expect(indentJson('[[],{},[1]]')).toBe('[\n  [],\n  {},\n  [\n    1\n  ]\n]');
  });

  it('gives back what is no JSON', () => {
    for (const text of ['{"a": "b', 'Error: "x', '']) expect(indentJson(text)).toBe(text);
  });
});

describe('a body to be read', () => {
  it('sets apart what redaction has replaced, and writes out what cannot be seen', () => {
    const { parts, redacted } = bodyText('{"card":"[redacted]","name":"a\u202eb"}');
    expect(redacted).toBe(1);
    expect(parts.map(({ text }) => text).join('')).toContain('a\\u{202e}b');
    expect(parts.find((part) => part.redacted)?.text).toBe('[redacted]');
  });

  it('is cut where it is so long that a browser would stand still', () => {
    expect(bodyText('x'.repeat(250_000)).cut).toEqual({ shown: 100_000, all: 250_000 });
    expect(bodyText('x').cut).toBeNull();
  });

  it('keeps the indents of a stack', () => {
    expect(bodyText('E: no\n    at f (x.ts:1:1)').parts[0]?.text).toBe('E: no\n    at f (x.ts:1:1)');
  });
});
