import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** What stands between two empty lines. Without data it is a sign of life that says how far a quiet stream was read. */
export interface Block {
  readonly id: string | null;
  readonly event: string;
  readonly data: string | null;
}

const RECONNECT_MS = 500;

/**
 * A stream of server-sent events that survives reconnects: it goes on behind the last id. Ends when `signal` is
 * aborted, and never throws: a service that is away comes back, or the caller gives up.
 */
export async function* readStream(url: string, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
  let lastId: string | null = null;
  while (!signal.aborted) {
    try {
      for await (const { id, event, data } of readBlocks(url, lastId, signal)) {
        lastId = id ?? lastId;
        if (data !== null) yield { event, data };
      }
    } catch {
      // The connection broke, or was never there.
    }
    await delay(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * By Node's own client and not by `fetch`, which on an abort in mid-stream leaves a fresh connection behind that nobody
 * uses: the service would wait for it when it ends.
 */
async function* readBlocks(url: string, lastId: string | null, signal: AbortSignal): AsyncGenerator<Block> {
  const headers = { accept: 'text/event-stream', ...(lastId !== null && { 'last-event-id': lastId }) };
  const request = get(url, { headers, signal, agent: false });
  request.on('error', () => undefined); // an abort after the answer has begun shows in the answer
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) {
    request.destroy();
    throw new Error(`${url} answered ${String(response.statusCode)}`);
  }
  let rest = '';
  for await (const text of response.setEncoding('utf8') as AsyncIterable<string>) {
    const blocks = (rest + text).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    yield* blocks.map(parseBlock);
  }
}

/** Lines that begin with a colon are comments. */
export function parseBlock(block: string): Block {
  const fields = new Map<string, string[]>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (name !== '') fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return {
    id: fields.get('id')?.at(-1) ?? null,
    event: fields.get('event')?.at(-1) ?? 'message',
    data: fields.get('data')?.join('\n') ?? null,
  };
}
