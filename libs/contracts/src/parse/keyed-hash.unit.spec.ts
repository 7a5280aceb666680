import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyedHash } from './keyed-hash.js';

describe('keyed hash', () => {
  it('is HMAC-SHA-256, cut to 16 bytes, for keys and texts of every length', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 100 }), text, text, (key, head, body) => {
        const expected = createHmac('sha256', key).update(`${head}\n${body}`).digest().subarray(0, 16);
        expect(keyedHash(key)(head, body).equals(expected)).toBe(true);
      }),
    );
  });

  it('takes texts longer than its buffer, and short ones after them', () => {
    const key = Buffer.alloc(32, 1);
    const hash = keyedHash(key);
    for (const length of [1, 5_000, 2_000_000, 3, 4_095, 4_096, 4_097]) {
      const body = 'ü'.repeat(length);
      const expected = createHmac('sha256', key).update(`t\n${body}`).digest().subarray(0, 16);
      expect(hash('t', body).equals(expected)).toBe(true);
    }
  });

  it('refuses a key that could be guessed', () => {
    expect(() => keyedHash(Buffer.alloc(15))).toThrow(RangeError);
  });
});
