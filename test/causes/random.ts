/** Random numbers that are the same for the same seed, everywhere: the seed is a text, and a fork has a name. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private d = 1;

  constructor(private readonly seed: string) {
    [this.a, this.b, this.c] = hashed(seed);
    for (let i = 0; i < 12; i += 1) this.next();
  }

  /** Another stream of numbers: what is drawn from it changes nothing of what is drawn here. */
  fork(name: string): Random {
    return new Random(`${this.seed}/${name}`);
  }

  /** From 0 up to, and without, 1. */
  next(): number {
    const t = (((this.a + this.b) | 0) + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (this.c << 21) | (this.c >>> 11);
    this.c = (this.c + t) | 0;
    return (t >>> 0) / 4_294_967_296;
  }

  between(from: number, to: number): number {
    return from + (to - from) * this.next();
  }

  /** Both ends count. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.int(0, list.length - 1)];
    if (found === undefined) throw new Error('nothing to pick from');
    return found;
  }

  /** Time to the next arrival of a Poisson process. */
  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }

  /** Each order of magnitude as likely as the next. */
  logUniform(from: number, to: number): number {
    return from * (to / from) ** this.next();
  }

  /** Run times are like this: half of them below `median`, a few far above. */
  logNormal(median: number, sigma: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(sigma * normal);
  }

  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += Math.floor(this.next() * 65_536).toString(16).padStart(4, '0');
    return text.slice(0, digits);
  }
}

function hashed(seed: string): [number, number, number] {
  let [x, y, z] = [1_779_033_703, 3_144_134_277, 1_013_904_242];
  for (let i = 0; i < seed.length; i += 1) {
    const code = seed.charCodeAt(i);
    x = y ^ Math.imul(x ^ code, 597_399_067);
    y = z ^ Math.imul(y ^ code, 2_869_860_233);
    z = x ^ Math.imul(z ^ code, 951_274_213);
  }
  return [x ^ z, y, z];
}
