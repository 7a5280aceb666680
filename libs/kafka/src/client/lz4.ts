// LZ4 frames, as Kafka's clients write them, read by https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md.
// Checksums are not looked at: TCP and the broker have done that.
const MAGIC = 0x184d2204;
const UNCOMPRESSED = 0x80000000;

/** @throws RangeError for what is no such frame. */
export function decompressLz4(input: Buffer): Buffer {
  if (input.readUInt32LE(0) !== MAGIC) throw new RangeError('no LZ4 frame');
  const flags = input.readUInt8(4);
  const [blockChecksums, contentSize, dictionary] = [(flags & 0x10) !== 0, (flags & 0x08) !== 0, (flags & 0x01) !== 0];
  // Magic, flags, block descriptor, what the flags announce, and a byte of checksum.
  let at = 6 + (contentSize ? 8 : 0) + (dictionary ? 4 : 0) + 1;
  const output = new Growing(input.length * 4);
  for (;;) {
    const header = input.readUInt32LE(at);
    at += 4;
    if (header === 0) return output.written();
    const size = (header & ~UNCOMPRESSED) >>> 0;
    if (at + size > input.length) throw new RangeError('an LZ4 block is cut off');
    const block = input.subarray(at, at + size);
    if ((header & UNCOMPRESSED) !== 0) output.append(block, 0, size);
    else decodeBlock(block, output);
    at += size + (blockChecksums ? 4 : 0);
  }
}

/** Literals and copies of what came before, in turn; the last sequence has no copy. */
function decodeBlock(block: Buffer, output: Growing): void {
  let at = 0;
  const length = (nibble: number): number => {
    let sum = nibble;
    if (nibble === 15) {
      let more: number;
      do sum += more = block.readUInt8(at++);
      while (more === 255);
    }
    return sum;
  };
  while (at < block.length) {
    const token = block.readUInt8(at++);
    const literals = length(token >> 4);
    output.append(block, at, at + literals);
    at += literals;
    if (at >= block.length) return;
    const distance = block.readUInt16LE(at);
    at += 2;
    output.repeat(distance, length(token & 15) + 4);
  }
}

/** Output of unknown length, which refers back to itself. */
export class Growing {
  private bytes: Buffer;
  private size = 0;

  constructor(expected: number) {
    this.bytes = Buffer.allocUnsafe(Math.max(64, expected));
  }

  append(from: Buffer, start: number, end: number): void {
    if (end > from.length) throw new RangeError('more bytes are announced than there are');
    this.reserve(end - start);
    this.size += from.copy(this.bytes, this.size, start, end);
  }

  /** `count` bytes, from `distance` bytes ago: they may be the ones that are being written. */
  repeat(distance: number, count: number): void {
    if (distance === 0 || distance > this.size) throw new RangeError('a copy begins before the beginning');
    this.reserve(count);
    const from = this.size - distance;
    if (distance >= count) this.bytes.copyWithin(this.size, from, from + count);
    else for (let n = 0; n < count; n++) this.bytes[this.size + n] = this.bytes[from + n] ?? 0;
    this.size += count;
  }

  written(): Buffer {
    return this.bytes.subarray(0, this.size);
  }

  private reserve(count: number): void {
    if (this.size + count > LARGEST) throw new RangeError(`more than ${LARGEST} bytes come out`);
    if (this.size + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.size + count));
    this.bytes.copy(larger, 0, 0, this.size);
    this.bytes = larger;
  }
}

/** A few bytes can be made to mean gigabytes. */
export const LARGEST = 256 * 1_048_576;
