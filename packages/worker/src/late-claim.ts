import { setTimeout as delay } from 'node:timers/promises';
import { UnreachableError, type ClaimResult } from '@jobwarden/client';

const EVERY_MS = 1_000;

/** Claims until somebody answers, while the attempt runs already. Idempotent: it is one claim id. */
export class LateClaim {
  private result: ClaimResult | null = null;
  private readonly waiting: (() => void)[] = [];
  private readonly ended = new AbortController();

  constructor(
    private readonly claim: () => Promise<ClaimResult>,
    private readonly answered: (result: ClaimResult) => void,
  ) {
    void this.ask();
  }

  get pending(): boolean {
    return this.result === null && !this.ended.signal.aborted;
  }

  /** Once there is an answer, or nobody asks any more. */
  afterwards(work: () => void): void {
    if (this.pending) this.waiting.push(work);
    else work();
  }

  /** Asks no more, and does what was to be done afterwards. */
  close(): void {
    this.ended.abort();
    this.flush();
  }

  private async ask(): Promise<void> {
    const { signal } = this.ended;
    for (;;) {
      await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (!this.pending) break;
      try {
        const result = await this.claim();
        // What runs already is not begun again, so a closed queue only puts off the answer.
        if (result.kind === 'refused' && (result.code === 'paused' || result.code === 'throttled')) continue;
        this.result = result;
        this.answered(result);
      } catch (error) {
        // An address or a right that is wrong will not mend itself within an attempt.
        if (!(error instanceof UnreachableError)) this.ended.abort();
      }
    }
    this.flush();
  }

  private flush(): void {
    for (const work of this.waiting.splice(0)) work();
  }
}
