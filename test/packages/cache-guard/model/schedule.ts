/** Everything that waits; which of it goes on next is drawn by the test. */
export class Schedule {
  private waiting: (() => void)[] = [];

  constructor(private readonly draw: () => number) {}

  /** Resolves at some point. */
  later(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Lets one after the other go on, each as far as it gets, until nothing waits. */
  async run(): Promise<void> {
    for (;;) {
      await new Promise(setImmediate);
      const next = this.waiting.length === 0 ? undefined : this.waiting.splice(this.draw() % this.waiting.length, 1)[0];
      if (next === undefined) return;
      next();
    }
  }
}
