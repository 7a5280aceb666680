// What a broker compresses is read in compression.kafka.spec.ts; here what nobody should send.
import { describe, expect, it } from 'vitest';
import { decompressLz4 } from './lz4.js';
import { decompressSnappy } from './snappy.js';

/** A frame of one block, without checksums. */
function lz4Frame(block: readonly number[]): Buffer {
  const header = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(block.length);
  return Buffer.concat([header, size, Buffer.from(block), Buffer.alloc(4)]);
}

describe('lz4', () => {
  it('reads literals, copies, and copies of themselves', () => {
    // 'ab', then eight bytes from two ago, then 'c'.
    expect(String(decompressLz4(lz4Frame([0x24, 0x61, 0x62, 2, 0, 0x10, 0x63])))).toBe('ababababab' + 'c');
  });

  it.each([
    ['no frame', Buffer.from('hello, world')],
    ['a copy from before the beginning', lz4Frame([0x14, 0x61, 9, 0])],
    ['literals that are not there', lz4Frame([0xf0, 200, 0x61])],
    ['a frame without an end', lz4Frame([0x10, 0x61]).subarray(0, 12)],
  ])('refuses %s', (_, bytes) => expect(() => decompressLz4(bytes)).toThrow(RangeError));
});

describe('snappy', () => {
  it('reads literals and copies, raw and in blocks', () => {
    // Two literals; five bytes from two ago, tag 01, length 4 + 1.
    const raw = Buffer.from([7, 0x04, 0x61, 0x62, 0x05, 2]);
    expect(String(decompressSnappy(raw))).toBe('abababa');
    const size = Buffer.alloc(4);
    size.writeUInt32BE(raw.length);
    const java = Buffer.concat([Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]), size, raw, size, raw]);
    expect(String(decompressSnappy(java))).toBe('abababa'.repeat(2));
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a copy from before the beginning', Buffer.from([4, 0x01, 9])],
    ['literals that are not there', Buffer.from([9, 0x20, 0x61])],
  ])('refuses %s', (_, bytes) => expect(() => decompressSnappy(bytes)).toThrow(RangeError));
});
