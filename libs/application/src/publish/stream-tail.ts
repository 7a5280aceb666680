import type { PublishObserver } from '../ports/publish-observer.port.js';
import type { StreamKind, StreamPage, StreamRow, StreamStore } from '../ports/stream-store.port.js';
import { WakeSignal } from './wake-signal.js';

export interface TailOptions {
  /** Looks again this soon after having found something, ms. Default 50. */
  readonly busyMs?: number;
  /** And at last this often, ms. Default 500. */
  readonly idleMs?: number;
  /** Newest messages kept for the subscribers of this process, bytes. Default 8 MiB. */
  readonly keepBytes?: number;
}

/** What the tail has for a subscriber; `cursor` goes back with the next call. */
export interface TailRows {
  readonly rows: readonly StreamRow[];
  readonly cursor: number;
}

/**
 * One reader of a stream for all its subscribers in this process. It keeps the newest messages; who has read as far as
 * these takes them from memory, whoever is further back reads the database until he has caught up. So a slow subscriber
 * costs no memory, and a thousand fast ones one query.
 */
export class StreamTail {
  private readonly options: Required<TailOptions>;
  private readonly moved = new WakeSignal();
  private rows: StreamRow[] = [];
  private bytes = 0;
  /** Number, counted since the start, of `rows[0]`. */
  private first = 0;
  /** By shard: everything above it, up to `head`, is in `rows`. */
  private floor: number[] = [];
  private head: number[] = [];
  private enabled = false;
  private users = 0;
  private loop: { readonly abort: AbortController; readonly ready: Promise<void> } | null = null;

  constructor(
    private readonly kind: StreamKind,
    private readonly store: StreamStore,
    private readonly published: WakeSignal,
    private readonly observer: PublishObserver,
    options: TailOptions = {},
  ) {
    this.options = { busyMs: 50, idleMs: 500, keepBytes: 8 * 1_048_576, ...options };
  }

  /** By shard: how far it has read. Who has taken all rows up to the end has seen everything up to here. */
  get readUpTo(): readonly number[] {
    return this.head;
  }

  /** The stop switch, as last read. */
  get actionsEnabled(): boolean {
    return this.enabled;
  }

  /** Changes whenever there may be something new; for {@link changed}. */
  get version(): number {
    return this.moved.version;
  }

  /** The first user starts the reading, the last one's release ends it. */
  async use(): Promise<() => void> {
    this.users += 1;
    const loop = (this.loop ??= this.begin());
    try {
      await loop.ready;
    } catch (error) {
      if (this.loop === loop) this.loop = null;
      this.release();
      throw error;
    }
    return () => this.release();
  }

  private release(): void {
    this.users -= 1;
    if (this.users > 0) return;
    this.loop?.abort.abort();
    this.loop = null;
  }

  /** null: these places are further back than what is kept here. */
  after(places: readonly number[], cursor: number | null): TailRows | null {
    const end = this.first + this.rows.length;
    if (cursor !== null && cursor >= this.first) return { rows: this.rows.slice(cursor - this.first), cursor: end };
    if (this.floor.some((floor, shard) => (places[shard] ?? 0) < floor)) return null;
    return { rows: this.rows.filter((r) => r.place > (places[r.shard] ?? 0)), cursor: end };
  }

  /** Until something moved since `version` was read. true = it did. */
  async changed(version: number, ms: number, signal: AbortSignal): Promise<boolean> {
    return await this.moved.wait(version, ms, signal);
  }

  private begin(): { abort: AbortController; ready: Promise<void> } {
    const abort = new AbortController();
    const ready = this.store.heads().then(({ sent }) => {
      this.rows = [];
      this.bytes = 0;
      this.head = [...sent];
      this.floor = [...sent];
    });
    void ready.then(() => this.read(abort.signal)).catch(() => undefined);
    return { abort, ready };
  }

  private async read(signal: AbortSignal): Promise<void> {
    const { busyMs, idleMs } = this.options;
    let waitMs = busyMs;
    while (!signal.aborted) {
      const seen = this.published.version;
      const found = await this.readOnce(signal);
      waitMs = found ? 0 : Math.min(idleMs, Math.max(busyMs, waitMs * 2));
      if (waitMs > 0 && (await this.published.wait(seen, waitMs, signal))) waitMs = 0;
    }
  }

  private async readOnce(signal: AbortSignal): Promise<boolean> {
    try {
      const page = await this.store.read(this.kind, this.head);
      if (!signal.aborted) this.take(page);
      return page.rows.length > 0;
    } catch (error) {
      this.observer.failed?.('stream', error);
      return false;
    }
  }

  private take(page: StreamPage): void {
    const switched = page.actionsEnabled !== this.enabled;
    this.enabled = page.actionsEnabled;
    this.head = [...page.upTo];
    for (const row of page.rows) {
      this.rows.push(row);
      this.bytes += row.message.length;
    }
    this.forget();
    if (page.rows.length > 0 || switched) this.moved.notify();
  }

  private forget(): void {
    let count = 0;
    for (const row of this.rows) {
      if (this.bytes <= this.options.keepBytes) break;
      this.bytes -= row.message.length;
      this.floor[row.shard] = row.place;
      count += 1;
    }
    if (count === 0) return;
    this.rows = this.rows.slice(count);
    this.first += count;
  }
}
