import { StoppedError } from './errors.js';
import type { StopReason } from './spec.js';

/** The handler did not end in time; nothing that a handler returns is it. */
export const GIVEN_UP = Symbol('given up');

/** An attempt's signal, the reason for which it was aborted, and how long its handler may take to obey. */
export class Stoppable {
  private readonly controller = new AbortController();
  private readonly given: Promise<typeof GIVEN_UP>;
  private giveUp: () => void = () => undefined;
  private timer: NodeJS.Timeout | null = null;
  private why: StopReason | null = null;

  constructor(private readonly graceMs: number) {
    this.given = new Promise((resolve) => (this.giveUp = () => resolve(GIVEN_UP)));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** null: it is wanted. */
  get reason(): StopReason | null {
    return this.why;
  }

  /** The first reason stays. */
  stop(reason: StopReason, detail?: string): void {
    if (this.why !== null) return;
    this.why = reason;
    this.timer = setTimeout(this.giveUp, this.graceMs).unref();
    this.controller.abort(new StoppedError(reason, detail));
  }

  /** What `work` comes to, or GIVEN_UP where it does not end within the grace after a stop. */
  async during<R>(work: Promise<R>): Promise<R | typeof GIVEN_UP> {
    try {
      return await Promise.race([work, this.given]);
    } finally {
      if (this.timer !== null) clearTimeout(this.timer);
    }
  }
}
