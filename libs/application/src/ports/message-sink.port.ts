import type { OutboundMessage, ShardLease } from './outbound-store.port.js';

/**
 * A further way out beside the outbound table, such as a broker's topics. The table comes first and is what
 * server-sent events and webhooks read: a message in it is acknowledged by the commit.
 *
 *   open(lease) ──► the fence is checked, messages are written ──► send ──► … ──► keep(without the shard)
 *
 * A sink is called outside of any transaction, once per step of a batch: first with the invalidations, and with the
 * commands only when it has acknowledged those. After a crash or a failure the batch is repeated as a whole: the same
 * messages come again, with the same ids.
 */
export interface MessageSink {
  readonly name: string;
  /**
   * Before each batch, and before that batch's first look at the fence: a sink that shuts the shard's former publisher
   * out does it here. Whoever takes the shard over after the look opens later still, and shuts this one out in turn.
   * Rejecting leaves the batch for later, with nothing of it written. `retry`: somebody wants parked messages tried
   * again, and may have raised a limit for them just now. Default `batch`.
   */
  open?(lease: ShardLease, why?: 'batch' | 'retry'): Promise<void>;
  /** Why the sink would never take this message as things stand, with its size and the limit; null: it would. No I/O. */
  faultOf?(message: OutboundMessage): string | null;
  /** Resolves when all are acknowledged, in order. Rejecting repeats the batch later; nothing behind it goes out. */
  send(messages: readonly OutboundMessage[], lease: ShardLease): Promise<void>;
  /** The shards that this replica holds now: what is open for another one may be closed. Must not throw. */
  keep?(leases: readonly ShardLease[]): void;
}
