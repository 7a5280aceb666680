import { setTimeout as delay } from 'node:timers/promises';
import type { CloudEvent } from '../contract.js';
import { RefusedCallError, UnreachableError } from '../errors.js';
import type { Connection } from '../http.js';
import { backoffMs } from '../backoff.js';
import { readConnection } from './connection.js';

/** The service gives a sign of life every 15 seconds; one that is silent for longer is not there any more. */
const SILENT_MS = 45_000;

export type StreamName = 'commands' | 'invalidations' | 'incidents';

export interface StreamOptions {
  /** Only what is for this queue. Default: all of the namespace. */
  readonly queue?: string;
  /** `now`, `start` (the oldest that is kept), or the id of the last item that was dealt with. Default `now`. */
  readonly from?: string;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Told of each break, with what broke it. Default: nobody is told. */
  readonly onBreak?: (error: unknown) => void;
  /** A connection on which nothing came for so long is given up, ms. Default 45,000; the service gives a sign every 15 s. */
  readonly silentMs?: number;
  /** Keep the process alive by it? Default true. */
  readonly ref?: boolean;
}

export type StreamItem =
  | { readonly kind: 'event'; readonly id: string; readonly type: string; readonly event: CloudEvent }
  /** A sign of life: everything up to `id` has been read. The first one comes as soon as the stream stands. */
  | { readonly kind: 'position'; readonly id: string }
  /** Something may have been missed: the id was ahead of the log, or below what is kept. The stream goes on from `id`. */
  | { readonly kind: 'reset'; readonly id: string };

/** See {@link Client.stream}. */
export async function* readStream(connection: Connection, name: StreamName, options: StreamOptions): AsyncGenerator<StreamItem, void, void> {
  const { signal, onBreak, queue, silentMs = SILENT_MS, ref = true } = options;
  const begin = options.from ?? 'now';
  let lastId = begin === 'now' || begin === 'start' ? null : begin;
  let tries = 0;
  while (!signal.aborted) {
    let waitMs = 0;
    try {
      const query = { namespace: connection.namespace, queue, from: begin === 'start' ? 'start' : undefined };
      const headers = { ...connection.headers(), ...(lastId !== null && { 'last-event-id': lastId }) };
      const url = connection.url(`/v1/streams/${name}`, query);
      for await (const { id, event, data } of readConnection({ url, headers, signal, ref, silentMs })) {
        tries = 0;
        if (id === null) continue;
        lastId = id;
        yield itemOf(id, event, data);
        if (aborted(signal)) return;
      }
    } catch (error) {
      if (error instanceof RefusedCallError) throw error;
      if (aborted(signal)) return;
      onBreak?.(error);
      if (error instanceof UnreachableError) waitMs = error.retryAfterMs ?? 0;
    }
    await delay(Math.max(waitMs, backoffMs(tries)), undefined, { signal, ref }).catch(() => undefined);
    tries += 1;
  }
}

/** The compiler takes `aborted` for what it was at the last look. */
function aborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function itemOf(id: string, type: string, data: string | null): StreamItem {
  if (data === null) return { kind: 'position', id };
  if (type === 'reset') return { kind: 'reset', id };
  return { kind: 'event', id, type, event: JSON.parse(data) as CloudEvent };
}
