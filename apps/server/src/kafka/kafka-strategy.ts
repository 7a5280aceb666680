import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import type { FeedBatch, FeedReceiver } from '#libs/application';

/** What batches of the topic of events are dispatched by. */
export const EVENTS_PATTERN = 'jobwarden.events';

/** A reader of the topic, such as `KafkaFeed`. */
export interface Feed {
  start(): void;
  /** No new batches; resolves when those under way have ended. */
  pause(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Kafka as a transport of Nest: batches in, each answered when everything of it is committed.
 *
 *   listening: connects in the background ──pause()──► no new batches ──close()──► the group is left
 *
 * Nest's own one hands over single messages and commits offsets by itself, so a batch could be neither stored as a whole
 * nor repeated. Where a partition goes on is asked of the receiver directly: it is no message.
 */
export class KafkaStrategy extends Server implements CustomTransportStrategy {
  /** An error of the handler is an answer: it says whether the batch comes again. */
  override readonly propagatesEventHandlerErrors = true;
  private readonly feed: Feed;
  private closing: Promise<void> | null = null;

  /** `ready`: nothing is asked of the broker before. */
  constructor(
    lanes: Required<Omit<FeedReceiver, 'batch'>>,
    feedOf: (receiver: FeedReceiver) => Feed,
    private readonly ready: Promise<void> = Promise.resolve(),
  ) {
    super();
    this.feed = feedOf({
      known: (partitions) => lanes.known(partitions),
      assigned: (partitions, broker) => lanes.assigned(partitions, broker),
      revoked: (names) => lanes.revoked(names),
      batch: (batch) => this.dispatch(batch),
    });
  }

  /** A broker that is not there must not keep the service from its start, so nobody waits for it. */
  listen(callback: () => void): void {
    void this.ready.then(() => (this.closing === null ? this.feed.start() : undefined));
    callback();
  }

  async pause(): Promise<void> {
    await this.feed.pause();
  }

  close(): Promise<void> {
    this.closing ??= this.feed.stop();
    return this.closing;
  }

  /** Of Nest's clients, which nobody makes of this transport. */
  on(): never {
    throw new Error('the feed tells its observer, and nobody else');
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- Nest's own signature
  unwrap<T>(): T {
    return this.feed as T;
  }

  private async dispatch(batch: FeedBatch): Promise<void> {
    const handler = this.getHandlerByPattern(EVENTS_PATTERN);
    if (handler === null) throw new Error(`nobody handles ${EVENTS_PATTERN}`);
    await lastValueFrom(this.transformToObservable(await handler(batch)), { defaultValue: undefined });
  }
}
