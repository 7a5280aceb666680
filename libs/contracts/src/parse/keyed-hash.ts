import { hash } from 'node:crypto';

/** HMAC-SHA-256 of `head`, a line feed and `text`, cut to 16 bytes. */
export type KeyedHash = (head: string, text: string) => Buffer;

const BLOCK = 64;
const DIGEST = 32;

/**
 * HMAC written out over one-shot hashes: `createHmac` builds a native object per call and takes two to three times as
 * long, which on the hot path is most of an event's cost. The result is the same (a test compares them).
 */
export function keyedHash(key: Uint8Array): KeyedHash {
  if (key.length < 16) throw new RangeError(`the hash key has ${key.length} bytes; give at least 16 random ones`);
  const block = Buffer.alloc(BLOCK);
  if (key.length > BLOCK) block.write(hash('sha256', key, 'binary'), 'latin1');
  else block.set(key);
  const outer = Buffer.alloc(BLOCK + DIGEST);
  let inner: Buffer = Buffer.alloc(BLOCK + 4_096);
  for (let i = 0; i < BLOCK; i += 1) {
    const byte = block[i] ?? 0;
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  return (head, text) => {
    const room = BLOCK + (head.length + text.length) * 3 + 1;
    if (room > inner.length) inner = grown(inner, room);
    // Written one after the other: a joined string would first be flattened, which costs as much as a hash.
    let end = BLOCK + inner.write(head, BLOCK, 'utf8');
    inner[end] = 0x0a;
    end += 1;
    end += inner.write(text, end, 'utf8');
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK, 'latin1');
    const result = Buffer.allocUnsafe(16);
    result.write(hash('sha256', outer, 'binary'), 0, 16, 'latin1');
    return result;
  };
}

/** Keeps the padded key in front; a text of a megabyte makes it three megabytes once, not per event. */
function grown(buffer: Buffer, length: number): Buffer {
  const larger = Buffer.alloc(length);
  buffer.copy(larger, 0, 0, BLOCK);
  return larger;
}
