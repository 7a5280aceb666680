import type { PublishObserver } from '../ports/publish-observer.port.js';
import type { StreamKind, StreamStore } from '../ports/stream-store.port.js';
import { TailBuffer } from './tail-buffer.js';
import { WakeSignal } from './wake-signal.js';

export interface TailOptions {
  /** Looks again this soon after having found something, ms. Default 50. */
  readonly busyMs?: number;
  /** And at last this often, ms. Default 500. */
  readonly idleMs?: number;
  /** Newest messages kept for the subscribers of this process, bytes. Default 8 MiB. */
  readonly keepBytes?: number;
}

/** One time of reading, from the first subscriber to the last one's leave. */
interface Run {
  readonly abort: AbortController;
  readonly buffer: Promise<TailBuffer>;
}

/**
 * One reader of a stream for all its subscribers in this process. It keeps the newest messages; who has read as far as
 * these takes them from memory, whoever is further back reads the database until he has caught up. So a slow subscriber
 * costs no memory, and a thousand fast ones one query.
 */
export class StreamTail {
  private readonly options: Required<TailOptions>;
  private readonly moved = new WakeSignal();
  private users = 0;
  private run: Run | null = null;

  constructor(
    private readonly kind: StreamKind,
    private readonly store: StreamStore,
    private readonly published: WakeSignal,
    private readonly observer: PublishObserver,
    options: TailOptions = {},
  ) {
    this.options = { busyMs: 50, idleMs: 500, keepBytes: 8 * 1_048_576, ...options };
  }

  /** Changes whenever there may be something new; for {@link changed}. */
  get version(): number {
    return this.moved.version;
  }

  /** Until something moved since `version` was read. true = it did. */
  async changed(version: number, ms: number, signal: AbortSignal): Promise<boolean> {
    return await this.moved.wait(version, ms, signal);
  }

  /** The first user starts the reading, the last one's release ends it. Throws what the database throws. */
  async use(): Promise<{ readonly buffer: TailBuffer; readonly release: () => void }> {
    this.users += 1;
    const run = (this.run ??= this.begin());
    try {
      return { buffer: await run.buffer, release: () => this.release() };
    } catch (error) {
      if (this.run === run) this.run = null;
      this.release();
      throw error;
    }
  }

  private release(): void {
    this.users -= 1;
    if (this.users > 0) return;
    this.run?.abort.abort();
    this.run = null;
  }

  private begin(): Run {
    const abort = new AbortController();
    const buffer = this.store.heads().then(({ sent }) => new TailBuffer(sent, this.options.keepBytes));
    buffer.then(
      (filled) => void this.fill(filled, abort.signal),
      () => undefined,
    );
    return { abort, buffer };
  }

  private async fill(buffer: TailBuffer, signal: AbortSignal): Promise<void> {
    const { busyMs, idleMs } = this.options;
    let waitMs = busyMs;
    while (!signal.aborted) {
      const seen = this.published.version;
      const found = await this.readOnce(buffer);
      waitMs = found ? 0 : Math.min(idleMs, Math.max(busyMs, waitMs * 2));
      if (waitMs > 0 && (await this.published.wait(seen, waitMs, signal))) waitMs = 0;
    }
  }

  private async readOnce(buffer: TailBuffer): Promise<boolean> {
    try {
      const page = await this.store.read(this.kind, buffer.readUpTo);
      if (buffer.take(page)) this.moved.notify();
      return page.rows.length > 0;
    } catch (error) {
      this.observer.failed?.('stream', error);
      return false;
    }
  }
}
