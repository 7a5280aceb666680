import type { Client, QueueView } from '@jobwarden/client';

const FRESH_MS = 1_000;
/** As the service says to whoever claims from a paused queue. */
const PAUSED_RETRY_MS = 5_000;

export type Passage = { readonly kind: 'open' } | { readonly kind: 'closed'; readonly code: 'paused' | 'throttled'; readonly retryAfterMs: number };

const OPEN: Passage = { kind: 'open' };

interface Known {
  readonly view: Promise<QueueView | null>;
  readonly atMs: number;
  /** When the next one may pass a throttled queue, by this process's own count. */
  nextMs: number;
}

/**
 * Which queues are paused or throttled, and whom they refuse, asked at most once a second each. A throttle counts for this process alone, so
 * several together let through more; a claim counts for all. Whoever cannot be asked closes nothing.
 */
export class Gates {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly client: Pick<Client, 'queue'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes as many places of a throttled queue where it says `open`. */
  async pass(queue: string, places = 1): Promise<Passage> {
    const known = this.look(queue);
    const gate = (await known.view)?.gate;
    if (gate?.gate === 'paused') return { kind: 'closed', code: 'paused', retryAfterMs: PAUSED_RETRY_MS };
    if (gate?.gate !== 'throttled' || gate.perSecond === undefined) return OPEN;
    const waitMs = known.nextMs - this.now();
    if (waitMs > 0) return { kind: 'closed', code: 'throttled', retryAfterMs: Math.ceil(waitMs) };
    known.nextMs = this.now() + (places * 1_000) / gate.perSecond;
    return OPEN;
  }

  /** This release of the worker is out of service in the queue. Jobs may be put into it all the same. */
  async refuses(queue: string, revision: string): Promise<boolean> {
    return (await this.look(queue).view)?.refusedRevisions?.includes(revision) ?? false;
  }

  private look(queue: string): Known {
    const before = this.known.get(queue);
    const nowMs = this.now();
    if (before !== undefined && nowMs - before.atMs < FRESH_MS) return before;
    const view = this.client.queue(queue).catch(() => null);
    const known: Known = { view, atMs: nowMs, nextMs: before?.nextMs ?? 0 };
    this.known.set(queue, known);
    return known;
  }
}
