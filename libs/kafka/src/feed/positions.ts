import type { FeedPartition, FeedReceiver, PartitionAnswers } from '#libs/application';
import { Backoff } from './backoff.js';
import type { FeedObserver } from './feed-options.js';
import type { PartitionReader } from './partition-reader.js';

export interface PositionsParts {
  readonly receiver: FeedReceiver;
  readonly observer: FeedObserver;
  /** The topic's partitions as they are now. */
  readonly look: () => Promise<readonly FeedPartition[]>;
  readonly answers: PartitionAnswers;
  /** Whether this lane has a reader of ours. */
  readonly isRead: (name: string) => boolean;
}

/**
 * Asks the log where to go on, for those readers that want to know: one question at a time, so that no answer to an
 * earlier question comes after a later one. Repeats for as long as somebody waits for an answer.
 */
export class Positions {
  private readonly wanting = new Set<PartitionReader>();
  private readonly backoff = new Backoff();
  private asking = false;
  private closed = false;
  private wake: () => void = () => undefined;

  constructor(private readonly parts: PositionsParts) {}

  want(reader: PartitionReader): void {
    this.wanting.add(reader);
    if (!this.asking && !this.closed) void this.run();
  }

  close(): void {
    this.closed = true;
    this.wake();
  }

  private async run(): Promise<void> {
    this.asking = true;
    // Those that are assigned together ask together.
    await Promise.resolve();
    while (this.wanting.size > 0 && !this.closed) {
      const readers = [...this.wanting].filter((reader) => reader.asking);
      this.wanting.clear();
      if (readers.length === 0) continue;
      try {
        await this.ask(readers);
        this.backoff.reset();
      } catch (error) {
        for (const reader of readers) this.wanting.add(reader);
        this.parts.observer.failed('position', error);
        await this.pause(this.backoff.next());
      }
    }
    this.asking = false;
  }

  private async ask(readers: readonly PartitionReader[]): Promise<void> {
    const { receiver, look, answers, isRead } = this.parts;
    const there = new Map((await look()).map((partition) => [partition.name, partition]));
    const asked = readers.flatMap((reader) => {
      const partition = there.get(reader.name);
      return partition === undefined ? [] : [{ reader, partition }];
    });
    const positions = await receiver.assigned(asked.map(({ partition }) => partition), answers);
    for (const [i, { reader }] of asked.entries()) {
      if (!reader.gone) reader.positioned(positions[i] ?? null);
      else if (!isRead(reader.name)) receiver.revoked([reader.name]);
    }
    const missing = readers.filter((reader) => !there.has(reader.name) && reader.asking);
    if (missing.length > 0) throw new Error(`the broker does not know of ${missing.map(({ name }) => name).join(', ')}`);
  }

  private async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
