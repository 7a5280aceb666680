import type { FeedPartition } from './event-feed.port.js';
import type { Lane } from './log-store.port.js';

/** What operators change of lanes that are read by position. Whoever reads such a lane meanwhile loses it. */
export interface LaneDesk {
  /** Says where to go on, and that it is to be read again. */
  seek(lane: Lane, to: { readonly next: number; readonly origin: string }): Promise<void>;
  /** false: nothing of it is read, and no verdict waits for it. Idempotent. */
  hold(lane: Lane, holds: boolean): Promise<void>;
}

/** A broker's own answer, asked for anew each time. */
export interface PartitionSource {
  /** The topic that events come by. */
  readonly topic: string;
  /** Its partitions; none where there is no such topic. @throws RetryableError when no broker can be asked. */
  look(topic: string): Promise<readonly FeedPartition[]>;
}
