import type { OutboundMessage } from './outbound-store.port.js';

/**
 * A further way out beside the outbound table, such as a broker's topics. The table comes first and is what
 * server-sent events and webhooks read: a message in it is acknowledged by the commit.
 *
 * A sink is called outside of any transaction, once per step of a batch: first with the invalidations, and with the
 * commands only when it has acknowledged those. After a crash or a failure the batch is repeated as a whole: the same
 * messages come again, with the same ids.
 */
export interface MessageSink {
  readonly name: string;
  /** Resolves when all are acknowledged, in order. Rejecting repeats the batch later; nothing behind it goes out. */
  send(messages: readonly OutboundMessage[]): Promise<void>;
}
