import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyedHash } from './keyed-hash.js';

/** As it is told: the key filled up to a block, or its own hash where it is longer. */
function expectedOf(key: Uint8Array, text: string): Buffer {
  const block = Buffer.alloc(64);
  block.set(key.length > 64 ? createHash('sha256').update(key).digest() : key);
  return createHash('sha256').update(block).update(text).digest().subarray(0, 16);
}

describe('keyed hash', () => {
  it('is SHA-256 of key and text, cut to 16 bytes, for keys and texts of every length', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 100 }), text, text, (key, head, body) => {
        const expected = expectedOf(key, `${head}\n${body}`);
        expect(keyedHash(key)(head, body).equals(expected)).toBe(true);
      }),
    );
  });

  it('takes texts longer than its buffer, and short ones after them', () => {
    const key = Buffer.alloc(32, 1);
    const hash = keyedHash(key);
    for (const length of [1, 5_000, 2_000_000, 3, 4_095, 4_096, 4_097]) {
      const body = 'ü'.repeat(length);
      const expected = expectedOf(key, `t\n${body}`);
      expect(hash('t', body).equals(expected)).toBe(true);
    }
  });

  it('refuses a key that could be guessed', () => {
    expect(() => keyedHash(Buffer.alloc(15))).toThrow(RangeError);
  });
});
