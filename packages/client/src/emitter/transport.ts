import type { Client } from '../client.js';
import type { EventResult } from '../contract.js';
import { RefusedCallError, UnreachableError } from '../errors.js';
import type { Bounds } from './buffer.js';
import type { OutgoingEvent } from './fact.js';

/**
 * Carries events to Jobwarden. `send` resolves once they are acknowledged, to what became of each, or to null where the
 * way has no answers.
 * @throws UnreachableError: send the same again. RefusedBatchError: some event in it makes the whole unacceptable.
 */
export interface Transport {
  /** Limits of one `send`. */
  readonly limits: Bounds;
  send(events: readonly OutgoingEvent[], signal?: AbortSignal): Promise<readonly EventResult[] | null>;
}

/** The batch as a whole is not taken, and will not be. */
export class RefusedBatchError extends Error {
  override readonly name = 'RefusedBatchError';
}

/** What the service allows unless its policy says otherwise. */
const HTTP_LIMITS: Bounds = { maxEvents: 1_000, maxBytes: 1_048_576 };

/** Of the answers, only these speak about the events; a wrong token or address would let all of them be lost. */
const ABOUT_THE_BODY: ReadonlySet<number> = new Set([400, 413, 422]);

/** `POST /v1/events`. */
export function httpTransport(client: Pick<Client, 'sendText'>): Transport {
  return {
    limits: HTTP_LIMITS,
    async send(events, signal) {
      try {
        return await client.sendText(`[${events.map(({ text }) => text).join(',')}]`, signal === undefined ? {} : { signal });
      } catch (error) {
        if (!(error instanceof RefusedCallError)) throw error;
        if (ABOUT_THE_BODY.has(error.status)) throw new RefusedBatchError(error.message, { cause: error });
        throw new UnreachableError(error.message, { status: error.status, cause: error });
      }
    },
  };
}
