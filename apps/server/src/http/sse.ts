import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { StreamItem } from '#libs/application';

/** A reader that takes nothing for so long is gone, or as good as gone. */
const STALLED_MS = 30_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Some proxies hold back an answer until it is complete, which here is never.
  'x-accel-buffering': 'no',
} as const;

export interface StreamEnd {
  readonly why: 'over' | 'stalled' | 'failed';
  readonly error?: unknown;
}

/**
 * Sends a stream as server-sent events. The next item is asked for only once the last one has left the process, so a
 * slow reader costs nothing but its own delay.
 *
 * Throws what the stream throws before anything has been sent, as for an id that is none; later failures end the
 * answer, and the reader comes back with its last id.
 */
export async function sendStream(
  open: () => ServerResponse,
  items: AsyncIterator<StreamItem, void, void>,
  signal: AbortSignal,
): Promise<StreamEnd> {
  // The first item says where the stream begins: a reader that is told 200 can count on everything from then on.
  const first = await items.next();
  const raw = open();
  raw.writeHead(200, HEADERS);
  raw.write('retry: 1000\n: connected\n\n');
  try {
    for (let next = first; next.done !== true; next = await items.next()) {
      if (!(await written(raw, textOf(next.value), signal))) return { why: signal.aborted ? 'over' : 'stalled' };
    }
    return { why: 'over' };
  } catch (error) {
    return { why: 'failed', error };
  } finally {
    await items.return?.();
    raw.end();
  }
}

/** A comment keeps the connection alive; its id says how far a quiet stream has been read. */
function textOf(item: StreamItem): string {
  if ('heartbeat' in item) return `: heartbeat\nid: ${item.heartbeat}\n\n`;
  return `id: ${item.id}\nevent: ${item.event}\ndata: ${lines(item.data)}\n\n`;
}

/**
 * A payload is told with the white space that it came with, and a line end in it would end the event. Readers put the
 * lines together again, with a line feed for whatever end it was: between two tokens of JSON, which is where it stands.
 */
function lines(data: string): string {
  return data.includes('\n') || data.includes('\r') ? data.replaceAll(/\r\n|\r|\n/gu, '\ndata: ') : data;
}

/** false: the reader is gone, or takes nothing any more. */
export async function written(raw: ServerResponse, text: string, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted || raw.destroyed) return false;
  if (raw.write(text)) return true;
  const waiting = new AbortController();
  const end = AbortSignal.any([signal, waiting.signal]);
  const drained = once(raw, 'drain', { signal: end }).then(
    () => true,
    () => false,
  );
  const late = delay(STALLED_MS, false, { signal: end }).catch(() => false);
  const went = await Promise.race([drained, late]);
  waiting.abort();
  if (!went) raw.destroy();
  return went;
}
