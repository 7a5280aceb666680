/**
 * The states that have been met, by a 64-bit hash of their numbers: open addressing in typed arrays, 16 bytes a state.
 * Two states of one hash would be taken for one; among ten million that is one chance in 400,000.
 */
export class StateTable {
  private size = 0;
  private mask: number;
  private high: Uint32Array;
  private low: Uint32Array;
  /** 1 + number of the state; 0: free. */
  private state: Uint32Array;

  constructor(bits = 16) {
    this.mask = 2 ** bits - 1;
    [this.high, this.low, this.state] = [new Uint32Array(2 ** bits), new Uint32Array(2 ** bits), new Uint32Array(2 ** bits)];
  }

  get count(): number {
    return this.size;
  }

  /** Its number: the next one where it has not been met before. */
  numberOf(key: readonly number[]): number {
    let a = 0x9e3779b9;
    let b = 0x85ebca6b ^ key.length;
    for (const item of key) {
      a = Math.imul(a ^ item, 0x01000193);
      a ^= a >>> 15;
      b = Math.imul(b + item, 0xcc9e2d51);
      b = (b << 13) | (b >>> 19);
      b = Math.imul(b ^ a, 0x1b873593);
    }
    return this.find(mixed(a), mixed(b ^ (a >>> 7)));
  }

  private find(a: number, b: number): number {
    let at = a & this.mask;
    for (; this.state[at] !== 0; at = (at + 1) & this.mask) if (this.high[at] === a && this.low[at] === b) return this.state[at]! - 1;
    this.high[at] = a;
    this.low[at] = b;
    this.state[at] = this.size + 1;
    this.size += 1;
    if (this.size * 10 > (this.mask + 1) * 7) this.grow();
    return this.size - 1;
  }

  private grow(): void {
    const { high, low, state } = this;
    const size = high.length * 2;
    this.mask = size - 1;
    [this.high, this.low, this.state] = [new Uint32Array(size), new Uint32Array(size), new Uint32Array(size)];
    for (let i = 0; i < state.length; i += 1) {
      if (state[i] === 0) continue;
      let at = high[i]! & this.mask;
      while (this.state[at] !== 0) at = (at + 1) & this.mask;
      this.high[at] = high[i]!;
      this.low[at] = low[i]!;
      this.state[at] = state[i]!;
    }
  }
}

/** Every bit of the number changes half of the others. */
function mixed(x: number): number {
  let y = x ^ (x >>> 16);
  y = Math.imul(y, 0x7feb352d);
  y ^= y >>> 15;
  y = Math.imul(y, 0x846ca68b);
  return (y ^ (y >>> 16)) >>> 0;
}

/** A list of small integers that grows: four bytes each, where an array of a million numbers would take more. */
export class Numbers {
  private items = new Int32Array(1 << 12);
  length = 0;

  push(item: number): void {
    if (this.length === this.items.length) {
      const wider = new Int32Array(this.length * 2);
      wider.set(this.items);
      this.items = wider;
    }
    this.items[this.length] = item;
    this.length += 1;
  }

  at(index: number): number {
    return this.items[index]!;
  }
}
