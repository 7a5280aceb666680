/** Waits that double from one failure to the next, and begin anew after a success. */
export class Backoff {
  private failures = 0;

  constructor(
    private readonly firstMs = 100,
    private readonly mostMs = 5_000,
  ) {}

  next(): number {
    const ms = Math.min(this.mostMs, this.firstMs * 2 ** this.failures);
    this.failures += 1;
    return ms;
  }

  reset(): void {
    this.failures = 0;
  }
}
