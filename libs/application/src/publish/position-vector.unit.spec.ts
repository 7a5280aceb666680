import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeVector, encodeVector } from './position-vector.js';

const place = fc.oneof(fc.nat(), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));
const vector = fc.record({ epoch: place, places: fc.array(place, { minLength: 1, maxLength: 64 }) });

describe('a position vector', () => {
  it('comes back from its text as it was', () => {
    fc.assert(
      fc.property(vector, (v) => {
        expect(decodeVector(encodeVector(v))).toEqual(v);
      }),
    );
  });

  it('is short enough for a header and for every event', () => {
    expect(encodeVector({ epoch: 60_000, places: Array.from({ length: 16 }, () => 5_000_000) }).length).toBeLessThan(
      100,
    );
  });

  it('does not survive one changed character', () => {
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    fc.assert(
      fc.property(vector, fc.nat(), fc.nat(63), (v, at, nth) => {
        const text = encodeVector(v);
        const changed = text.slice(0, at % text.length) + characters.charAt(nth) + text.slice((at % text.length) + 1);
        if (changed !== text) expect(() => decodeVector(changed)).toThrow('no event id of a stream');
      }),
    );
  });

  it('does not survive being cut', () => {
    fc.assert(
      fc.property(vector, fc.nat(), (v, at) => {
        const text = encodeVector(v);
        expect(() => decodeVector(text.slice(0, at % text.length))).toThrow('no event id of a stream');
      }),
    );
  });

  it('refuses whatever else comes as an id, and says what to do', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeVector(text)).toThrow('leave Last-Event-ID out');
      }),
    );
    expect(() => decodeVector('')).toThrow(expect.objectContaining({ code: 'stream_id_invalid' }));
    const later = Buffer.from(encodeVector({ epoch: 0, places: [1] }), 'base64url').with(0, 9);
    expect(() => decodeVector(Buffer.from(later).toString('base64url'))).toThrow(
      'its version is 9, this program knows 1',
    );
  });
});
