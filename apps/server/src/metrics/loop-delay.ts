import type { Metrics } from '#libs/observability';

const EVERY_MS = 100;

/**
 * How late the event loop runs what is due, told by a timer of its own. A histogram of all of them holds for any stretch of
 * time, any number of scrapers and any number of replicas, which a figure "since the last scrape" does not.
 */
export class LoopDelay {
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly metrics: Pick<Metrics, 'loopDelay'>) {}

  /** Idempotent. Keeps no process alive. */
  start(): void {
    if (this.timer !== null) return;
    let lastMs = performance.now();
    this.timer = setInterval(() => {
      const nowMs = performance.now();
      this.metrics.loopDelay.observe({}, Math.max(0, nowMs - lastMs - EVERY_MS) / 1_000);
      lastMs = nowMs;
    }, EVERY_MS).unref();
  }

  stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }
}
