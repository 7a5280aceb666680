/** Lets so many at once through, in the order in which they came. */
export class Gate {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async through<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}
