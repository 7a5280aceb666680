/**
 * Runs a step again and again: at once while it says there is more, else after a wake-up or `idleMs`. A failing step
 * is told and repeated with a growing pause; a success resets it. `stop` waits for the step under way.
 */
export class Loop {
  private stopped = true;
  private wakeUp: (() => void) | null = null;
  private woken = false;
  private done: Promise<void> = Promise.resolve();

  constructor(
    private readonly step: () => Promise<boolean>,
    private readonly options: LoopOptions,
  ) {}

  start(): void {
    if (!this.stopped) return;
    this.stopped = false;
    this.done = this.run();
  }

  /** There may be something to do: do not wait out the pause. */
  wake(): void {
    this.woken = true;
    this.wakeUp?.();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.done;
  }

  private async run(): Promise<void> {
    let failures = 0;
    while (!this.stopped) {
      this.woken = false;
      let pauseMs: number;
      try {
        pauseMs = (await this.step()) ? 0 : this.options.idleMs;
        failures = 0;
      } catch (error) {
        failures += 1;
        this.options.onError(error);
        pauseMs = Math.min(MAX_PAUSE_MS, this.options.idleMs * 2 ** failures);
        this.woken = false;
      }
      if (pauseMs > 0) await this.pause(pauseMs);
    }
  }

  private async pause(ms: number): Promise<void> {
    if (this.woken || this.stopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = null;
  }
}

const MAX_PAUSE_MS = 5_000;

export interface LoopOptions {
  /** Pause when there was nothing more to do, ms. */
  readonly idleMs: number;
  readonly onError: (error: unknown) => void;
}
