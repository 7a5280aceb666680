import { RetryableError } from '../ports/errors.js';
import type { OutboundStore, PublisherLeases, ShardWork } from '../ports/outbound-store.port.js';
import type { PublishObserver } from '../ports/publish-observer.port.js';
import type { ShardPublisher } from './shard-publisher.js';
import { pause, WakeSignal } from './wake-signal.js';

export interface PublisherParts {
  readonly leases: PublisherLeases;
  readonly store: OutboundStore;
  readonly shards: ShardPublisher;
  readonly observer: PublishObserver;
}

export interface PublisherOptions {
  /** This process's own, new at each start. */
  readonly replicaId: string;
  /** `off` (JOBWARDEN_ACTIONS): this replica takes no shard; the others publish them. Default `on`. */
  readonly actions?: 'on' | 'off';
  /** How long a dead replica's shards wait for another, ms. Renewed four times in that time. Default 3,000. */
  readonly leaseMs?: number;
  /** Looks for work this often after having found some, ms. Default 50. */
  readonly busyMs?: number;
  /** And at last this often while there is none, ms. Default 500: the longest delay of a decision made elsewhere. */
  readonly idleMs?: number;
  /** Shards published at once; each needs a connection. Default 4. */
  readonly concurrency?: number;
}

/**
 * A replica's publisher: holds its fair share of the shards and publishes what they have.
 *
 *   stopped ── start ──► holding ──► looking ── work ──► publishing ──► looking …   stop ──► given back
 *
 * Two loops that fail apart: one renews the leases, one looks for work, woken by appends of this process and otherwise
 * by a poll. A database that is away ends neither. A lease that is lost (a pause, a partition) shows in the fence: the
 * write fails and the shard is somebody else's. Not guaranteed: that a shard always has a publisher; after a death it
 * waits for the lease's end.
 */
export class Publisher {
  /** Messages have gone out: wakes the streams and the webhooks of this process. */
  readonly published = new WakeSignal();
  private readonly options: Required<PublisherOptions>;
  private readonly appended = new WakeSignal();
  private readonly running = new AbortController();
  private loops: Promise<unknown> | null = null;

  constructor(
    private readonly parts: PublisherParts,
    options: PublisherOptions,
  ) {
    this.options = { actions: 'on', leaseMs: 3_000, busyMs: 50, idleMs: 500, concurrency: 4, ...options };
  }

  /** Call after each append of this process. */
  wake(): void {
    this.appended.notify();
  }

  start(): void {
    if (this.options.actions === 'off' || this.loops !== null) return;
    this.loops = Promise.all([this.keepHolding(), this.keepPublishing()]);
  }

  /** Ends after the batches in flight, and gives the shards back. */
  async stop(): Promise<void> {
    this.running.abort();
    await this.loops;
    if (this.loops !== null) await this.guarded('lease', () => this.parts.leases.release(this.options.replicaId));
    this.loops = null;
  }

  /** One look at the shards held. true: there may be more at once. */
  async round(): Promise<boolean> {
    const found = await this.parts.store.work(this.options.replicaId);
    const queue = found.filter((w) => w.entries || w.retries || w.incidents);
    const worker = async (): Promise<boolean> => {
      let published = false;
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        if (await this.publish(next)) published = true;
      }
      return published;
    };
    const workers = Array.from({ length: Math.min(this.options.concurrency, queue.length) }, worker);
    const published = (await Promise.all(workers)).includes(true);
    if (published) this.published.notify();
    return published;
  }

  /** Batches of one shard at most in one round, so that none starves the others. */
  private static readonly BATCHES = 10;

  private async publish({ lease, entries, retries, incidents }: ShardWork): Promise<boolean> {
    const { shards } = this.parts;
    let batches = 0;
    const more = (): boolean => !this.running.signal.aborted && batches++ < Publisher.BATCHES;
    // Each by itself: what keeps commands from going out must not silence the incident that says so.
    const told = incidents && (await this.tried(lease, () => shards.incidents.drain(lease, more)));
    const sent = await this.tried(lease, async () => {
      const tried = retries ? await shards.retryParked(lease) : 'empty';
      const drained = entries ? await shards.drain(lease, more) : 'empty';
      return tried === 'published' || drained === 'published';
    });
    return told || sent;
  }

  private async tried({ shard }: ShardWork['lease'], work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof RetryableError && error.code === 'lease_lost') this.parts.observer.leaseLost?.(shard);
      else this.parts.observer.failed?.('publish', error);
      return false;
    }
  }

  private async keepHolding(): Promise<void> {
    const { replicaId, leaseMs } = this.options;
    let held = 0;
    while (!this.running.signal.aborted) {
      await this.guarded('lease', async () => {
        const leases = await this.parts.leases.hold(replicaId, leaseMs);
        this.parts.shards.keep(leases);
        if (leases.length > held) this.wake();
        held = leases.length;
      });
      await pause(leaseMs / 4, this.running.signal);
    }
  }

  private async keepPublishing(): Promise<void> {
    const { busyMs, idleMs } = this.options;
    let waitMs = busyMs;
    while (!this.running.signal.aborted) {
      const seen = this.appended.version;
      const published = await this.guarded('publish', () => this.round());
      waitMs = published === true ? 0 : Math.min(idleMs, Math.max(busyMs, waitMs * 2));
      if (waitMs > 0 && (await this.appended.wait(seen, waitMs, this.running.signal))) waitMs = 0;
    }
  }

  private async guarded<T>(what: 'publish' | 'lease', work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.parts.observer.failed?.(what, error);
      return null;
    }
  }
}
