const KEY_BYTES = 16;
const FIRST_SLOTS = 1_024;

/**
 * A set of job keys, 16 bytes each, in one buffer: a list of a million jobs takes 34 MB and gives the collector
 * nothing to walk. Keys are hashes, so any four of their bytes say where to look. The key of zeros is never anybody's,
 * and marks what is free.
 */
export class KeySet {
  private slots = FIRST_SLOTS;
  private bytes = Buffer.alloc(FIRST_SLOTS * KEY_BYTES);
  size = 0;

  add(keyHex: string): void {
    if ((this.size + 1) * 4 > this.slots * 3) this.grow();
    if (put(this.bytes, this.slots, Buffer.from(keyHex, 'hex'))) this.size += 1;
  }

  has(keyHex: string): boolean {
    const key = Buffer.from(keyHex, 'hex');
    return !isFree(this.bytes, slotOf(this.bytes, this.slots, key));
  }

  private grow(): void {
    const slots = this.slots * 2;
    const bytes = Buffer.alloc(slots * KEY_BYTES);
    for (let at = 0; at < this.bytes.length; at += KEY_BYTES) {
      if (!isFree(this.bytes, at)) put(bytes, slots, this.bytes.subarray(at, at + KEY_BYTES));
    }
    this.slots = slots;
    this.bytes = bytes;
  }
}

/** false: it was there. */
function put(bytes: Buffer, slots: number, key: Buffer): boolean {
  const at = slotOf(bytes, slots, key);
  if (!isFree(bytes, at)) return false;
  key.copy(bytes, at);
  return true;
}

/** Where the key is, or would be. There is always a free slot, so the walk ends. */
function slotOf(bytes: Buffer, slots: number, key: Buffer): number {
  let slot = key.readUInt32LE(8) % slots;
  for (;;) {
    const at = slot * KEY_BYTES;
    if (isFree(bytes, at) || key.compare(bytes, at, at + KEY_BYTES) === 0) return at;
    slot = (slot + 1) % slots;
  }
}

function isFree(bytes: Buffer, at: number): boolean {
  return bytes.readBigUInt64LE(at) === 0n && bytes.readBigUInt64LE(at + 8) === 0n;
}
