import { hash } from 'node:crypto';

/** SHA-256 of the key, `head`, a line feed and `text`, cut to 16 bytes. */
export type KeyedHash = (head: string, text: string) => Buffer;

/** One block of SHA-256: whatever follows is hashed behind a state that only the key's owner knows. */
const BLOCK = 64;

/**
 * One hash, where HMAC takes two: what the second one is for, that nobody who has the hash of a text can go on to that of
 * a longer one, is seen to by the cut. Half of the state stays unknown.
 */
export function keyedHash(key: Uint8Array): KeyedHash {
  if (key.length < 16) throw new RangeError(`the hash key has ${key.length} bytes; give at least 16 random ones`);
  let buffer: Buffer = Buffer.alloc(BLOCK + 4_096);
  if (key.length > BLOCK) buffer.write(hash('sha256', key, 'binary'), 'latin1');
  else buffer.set(key);
  return (head, text) => {
    const room = BLOCK + (head.length + text.length) * 3 + 1;
    if (room > buffer.length) buffer = grown(buffer, room);
    // Written one after the other: a joined string would first be flattened, which costs as much as a hash.
    let end = BLOCK + buffer.write(head, BLOCK, 'utf8');
    buffer[end] = 0x0a;
    end += 1;
    end += buffer.write(text, end, 'utf8');
    const result = Buffer.allocUnsafe(16);
    result.write(hash('sha256', buffer.subarray(0, end), 'binary'), 0, 16, 'latin1');
    return result;
  };
}

/** Keeps the padded key in front; a text of a megabyte makes it three megabytes once, not per event. */
function grown(buffer: Buffer, length: number): Buffer {
  const larger = Buffer.alloc(length);
  buffer.copy(larger, 0, 0, BLOCK);
  return larger;
}
