import type { InvalidationSource, SourceItem } from '@jobwarden/cache-guard';
import type { Schedule } from './schedule.js';

/** A replica's own: what is published comes at some point. */
export class Stream {
  private items: SourceItem[] = [];
  private wake: () => void = () => undefined;

  constructor(
    private readonly schedule: Schedule,
    /** Null: in the order in which it was published. */
    private readonly draw: (() => number) | null,
    /** Called in the tick in which the replica has taken it. */
    private readonly taken: (item: SourceItem) => void,
  ) {}

  push(item: SourceItem): void {
    this.items.push(item);
    this.wake();
  }

  /** What has not come yet never comes. */
  lose(): void {
    this.items = [];
  }

  source(): InvalidationSource {
    const follow = (signal: AbortSignal) => this.follow(signal);
    return { name: 'test', ordered: this.draw === null, follow: (_from, signal) => follow(signal) };
  }

  private async *follow(signal: AbortSignal): AsyncGenerator<SourceItem, void, void> {
    signal.addEventListener('abort', () => this.wake(), { once: true });
    while (!signal.aborted) {
      if (this.items.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
      else await this.schedule.later();
      const [item] = this.items.splice(this.draw === null ? 0 : this.draw() % Math.max(1, this.items.length), 1);
      if (item === undefined) continue;
      yield item;
      this.taken(item);
    }
  }
}
