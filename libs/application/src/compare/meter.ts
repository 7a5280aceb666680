import { tokensAt, type Bucket, type Budget } from '#libs/domain';

/**
 * Keeps what one replica mends to the queues' budgets: `burst` at once, then `perSecond`. What is spent may go below
 * zero, and then nobody comes back before it is made up for. By the process' own clock.
 */
export class Meter {
  private readonly buckets = new Map<string, Omit<Bucket, 'tailMs'>>();

  constructor(
    private readonly pause: (ms: number) => Promise<void>,
    private readonly nowMs: () => number,
  ) {}

  async spend(of: { readonly namespace: string; readonly queue: string }, count: number, budget: Budget): Promise<void> {
    const key = `${of.namespace}\0${of.queue}`;
    const nowMs = this.nowMs();
    const left = tokensAt(this.buckets.get(key) ?? null, budget, nowMs) - count;
    this.buckets.set(key, { tokens: left, atMs: nowMs });
    if (this.buckets.size > MOST_QUEUES) this.buckets.delete(this.buckets.keys().next().value ?? key);
    if (left < 0) await this.pause((-left * 1_000) / budget.perSecond);
  }
}

/** Queues come from lists that others send: the oldest is forgotten, and has its burst again. */
const MOST_QUEUES = 1_000;
