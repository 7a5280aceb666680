import type { EachMessageHandler } from 'kafkajs';
import { waitBeating } from './heartbeats.js';
import { look, type RecordHandler, type Running } from './look.js';

/** Thrown out of `eachMessage` after `close`, so that the record is not committed. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError';

  constructor() {
    super('the binding is closed: this record is left to the next owner of its partition');
  }
}

/**
 * For a `consumer.run` of your own. A record that may not be passed yet is waited for in its place: at kafkajs's
 * `partitionsConsumedConcurrently: 1` nothing else of this consumer goes on meanwhile.
 */
export function eachMessage(running: Running, handler: RecordHandler): EachMessageHandler {
  return async (payload) => {
    for (;;) {
      const seen = await look(running, payload, handler);
      if (seen.kind === 'done') return;
      if (seen.kind === 'closed') throw new ClosedError();
      await waitBeating(seen.ms, () => payload.heartbeat(), running.closing);
    }
  };
}
