import type { Client, QueueView } from '@jobwarden/client';

const FRESH_MS = 1_000;
/** As the service says to whoever claims from a paused queue. */
const PAUSED_RETRY_MS = 5_000;
/** Of a debt that is worn off bit by bit. */
const ROUNDING_MS = 1e-3;

export type Passage = { readonly kind: 'open' } | { readonly kind: 'closed'; readonly code: 'paused' | 'throttled'; readonly retryAfterMs: number };

const OPEN: Passage = { kind: 'open' };

interface Known {
  readonly view: Promise<QueueView | null>;
  readonly atMs: number;
  /** Places that have been taken of a throttled queue and not been worn off by `owedMs`, by this process's own count. */
  owed: number;
  owedMs: number;
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
    // By the rate of now: what many have taken at once is not kept waiting for by a rate that has been raised since.
    const nowMs = this.now();
    known.owed = Math.max(0, known.owed - ((nowMs - known.owedMs) * gate.perSecond) / 1_000);
    known.owedMs = nowMs;
    const waitMs = Math.ceil((known.owed * 1_000) / gate.perSecond - ROUNDING_MS);
    if (waitMs > 0) return { kind: 'closed', code: 'throttled', retryAfterMs: waitMs };
    known.owed = places;
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
    const known: Known = { view, atMs: nowMs, owed: before?.owed ?? 0, owedMs: before?.owedMs ?? nowMs };
    this.known.set(queue, known);
    return known;
  }
}
