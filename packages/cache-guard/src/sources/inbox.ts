/** Hands items from callbacks to an iterator, in order. */
export class Inbox<T> {
  private items: T[] = [];
  private failure: { readonly error: unknown } | null = null;
  private closed = false;
  private wake: () => void = () => undefined;
  private taken: () => void = () => undefined;

  push(item: T): void {
    this.items.push(item);
    this.wake();
  }

  fail(error: unknown): void {
    this.failure ??= { error };
    this.wake();
  }

  close(): void {
    this.closed = true;
    this.wake();
    this.taken();
  }

  /** Resolves when at most so many are left. */
  async room(atMost: number): Promise<void> {
    while (this.items.length > atMost && !this.closed) await new Promise<void>((resolve) => (this.taken = resolve));
  }

  /** Ends when it is closed. @throws what it failed with. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    while (!this.closed) {
      if (this.failure !== null) throw this.failure.error;
      const items = this.items;
      this.items = [];
      this.taken();
      yield* items;
      if (this.items.length === 0 && !this.isOver()) await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** A call, as the compiler would take the flags for what they were at the last look. */
  private isOver(): boolean {
    return this.closed || this.failure !== null;
  }
}
