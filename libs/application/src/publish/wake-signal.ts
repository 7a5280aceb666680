/**
 * Wakes whoever waits in this process. Only a hint that saves latency: what happens in other replicas is found by
 * polling, so every wait has an end.
 */
export class WakeSignal {
  private waiting: (() => void)[] = [];
  private count = 0;

  /** Changes with each {@link notify}. Read it before looking for work, so that no notice is lost in between. */
  get version(): number {
    return this.count;
  }

  notify(): void {
    this.count += 1;
    const woken = this.waiting;
    this.waiting = [];
    for (const wake of woken) wake();
  }

  /** Until notified after `seen` was read, or `ms` have passed, or `signal` is aborted. true = notified. */
  async wait(seen: number, ms: number, signal?: AbortSignal): Promise<boolean> {
    if (this.count !== seen) return true;
    if (signal?.aborted === true) return false;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        this.waiting = this.waiting.filter((w) => w !== done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done);
      this.waiting.push(done);
    });
    return this.count !== seen;
  }
}

/** `ms`, or less when `signal` is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new WakeSignal().wait(0, ms, signal);
}
