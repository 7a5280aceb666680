import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { TerminalError } from '#libs/application';
import { specOf } from '../auth/guard.js';
import { requestAborted, senderIsGone } from './body.js';
import { Problem } from './problem.js';

/** A sender that sends nothing for so long, while we wait for it, is gone. */
const IDLE_MS = 30_000;
/** So long is the rest of a list read and thrown away: a sender that is cut off never sees why. */
const LINGER_MS = 5_000;
const TYPES: ReadonlySet<string> = new Set(['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines']);

const sockets = new WeakSet<Socket>();

/** Lists arrive for as long as they take, where every other request has half a minute. */
export function watchLongArrivals(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (specOf(request)?.streams === true) sockets.add(request.raw.socket);
    done();
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    sockets.delete(request.raw.socket);
    done();
  });
}

export function arrivesLong(socket: Socket): boolean {
  return sockets.has(socket);
}

/** The body of a route that streams, as it comes. Throws before anything is read where it is no list of lines. */
export function listBody(request: FastifyRequest, limitBytes: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const { body } = request;
  // Without a content type and a length there is no body at all.
  if (body !== undefined && !TYPES.has(type)) {
    discard(request);
    const found = type === '' ? 'no content-type was sent' : `media type ${JSON.stringify(type.slice(0, 100))}`;
    throw new Problem(415, 'unsupported_media_type', `${found}; accepted is application/x-ndjson: one JSON object a line.`);
  }
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
    discard(request);
    throw new Problem(413, 'list_too_large', `The list has over ${String(limitBytes)} bytes: compare it queue by queue.`);
  }
  return body instanceof Readable ? arriving(body, signal) : Readable.from([]);
}

async function* arriving(body: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  // Not destroyed with the loop: that would take the connection along, and the answer with it.
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
  for (;;) {
    const next = await within(chunks.next(), signal);
    if (next.done === true) return;
    yield next.value;
  }
}

async function within<T>(next: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const end = AbortSignal.any([over.signal, signal]);
  const late = delay(IDLE_MS, undefined, { signal: end }).then(
    () => {
      const closed = { headers: { connection: 'close' } };
      throw new Problem(408, 'request_timeout', 'Nothing of the list arrived for 30 seconds.', closed);
    },
    () => {
      throw new TerminalError('interrupted', 'The comparison was ended before it was done.');
    },
  );
  try {
    return await Promise.race([next, late]);
  } catch (error) {
    throw senderIsGone(error) ? requestAborted() : error;
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}

/** The rest of a list that nobody wants. */
export function discard({ raw }: FastifyRequest): void {
  if (raw.complete) return;
  raw.resume();
  // Once it is whole, the connection belongs to the next request.
  const linger = setTimeout(() => {
    if (!raw.complete) raw.destroy();
  }, LINGER_MS).unref();
  raw.once('close', () => clearTimeout(linger));
}
