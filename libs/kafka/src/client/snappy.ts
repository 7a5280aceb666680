// Snappy, raw or in the blocks of Java's client, read by https://github.com/google/snappy/blob/main/format_description.txt.
import { Growing } from './lz4.js';

const JAVA_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
/** The magic and two versions. */
const JAVA_HEADER = 16;

/** @throws RangeError for what is neither. */
export function decompressSnappy(input: Buffer): Buffer {
  const output = new Growing(input.length * 4);
  if (!input.subarray(0, JAVA_MAGIC.length).equals(JAVA_MAGIC)) {
    decodeBlock(input, output);
    return output.written();
  }
  for (let at = JAVA_HEADER; at < input.length; ) {
    const size = input.readUInt32BE(at);
    at += 4;
    if (at + size > input.length) throw new RangeError('a snappy block is cut off');
    // Copies never reach into an earlier block, so it does no harm that they could here.
    decodeBlock(input.subarray(at, at + size), output);
    at += size;
  }
  return output.written();
}

function decodeBlock(block: Buffer, output: Growing): void {
  let at = 0;
  // The length of what comes out, which is not needed.
  while ((block.readUInt8(at++) & 0x80) !== 0);
  while (at < block.length) {
    const tag = block.readUInt8(at++);
    const high = tag >> 2;
    switch (tag & 3) {
      case 0: {
        const extra = Math.max(0, high - 59);
        const length = (extra === 0 ? high : block.readUIntLE(at, extra)) + 1;
        at += extra;
        output.append(block, at, at + length);
        at += length;
        break;
      }
      case 1:
        output.repeat(((tag >> 5) << 8) | block.readUInt8(at), (high & 7) + 4);
        at += 1;
        break;
      case 2:
        output.repeat(block.readUInt16LE(at), high + 1);
        at += 2;
        break;
      default:
        output.repeat(block.readUInt32LE(at), high + 1);
        at += 4;
    }
  }
}
