import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { specOf } from '../auth/guard.js';
import { Problem } from './problem.js';

/** So much of bodies is held at once, from when it came until its request was answered. What is made of it is several times that. */
const HELD_BYTES = 64 * 1_048_576;

/**
 * What all requests hold of their bodies, in this process. Above the bound a body is not read on: its sender comes again, where a
 * service that runs out of memory would take everybody's requests along. One alone is always read, however large.
 */
class HeldBodies {
  private readonly of = new Map<FastifyRequest, number>();
  private bytes = 0;

  constructor(private readonly most: number) {}

  take(request: FastifyRequest, bytes: number): void {
    const own = this.of.get(request) ?? 0;
    if (this.bytes > own && this.bytes + bytes > this.most) throw tooMuchAtOnce();
    this.of.set(request, own + bytes);
    this.bytes += bytes;
  }

  release(request: FastifyRequest): void {
    this.bytes -= this.of.get(request) ?? 0;
    this.of.delete(request);
  }
}

function tooMuchAtOnce(): Problem {
  return new Problem(503, 'body_memory_exhausted', 'Too much is being sent at once; nothing of this request was stored, repeat it.', {
    title: 'Try again',
    headers: { 'retry-after': '1', connection: 'close' },
  });
}

/**
 * Bodies arrive as the bytes that were sent, of whatever type: an event that cannot be read is kept as it came. The
 * limit is the policy file's of this moment, which the framework's own could not follow.
 */
export function readBodiesAsBytes(fastify: FastifyInstance, limitBytes: () => number, heldBytes = HELD_BYTES): void {
  const held = new HeldBodies(heldBytes);
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    if (specOf(request)?.streams !== true) reply.raw.once('close', () => held.release(request));
    done();
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    refuseEncoded(request);
    if (specOf(request)?.streams === true) return payload;
    const limit = Math.max(limitBytes(), specOf(request)?.bodyBytes ?? 0);
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > limit) throw tooLarge(`${String(announced)} bytes`, limit);
    return await bytesOf(payload, limit, (bytes) => held.take(request, bytes));
  });
}

async function bytesOf(payload: Readable, limit: number, take: (bytes: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of payload as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge('more', limit);
      take(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    throw senderIsGone(error) ? requestAborted() : error;
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
}

/** Else it would be kept as what cannot be read, and no repeat of it would ever be an event. */
function refuseEncoded({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return;
  const found = JSON.stringify(encoding.slice(0, 100));
  throw new Problem(415, 'unsupported_media_type', `content-encoding ${found} is not read here; send the body as it is.`, {
    title: 'The content encoding is not supported',
    headers: { connection: 'close', 'accept-encoding': 'identity' },
  });
}

/** What a stream fails with whose connection has ended before its body had. */
export function senderIsGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_PREMATURE_CLOSE');
}

/** Nobody is there to read it: it is what the log says, and no fault of ours. */
export function requestAborted(): Problem {
  return new Problem(400, 'request_aborted', 'The connection ended before the body did.');
}

/** Nobody reads the rest, so the connection cannot be used again. */
function tooLarge(found: string, limit: number): Problem {
  return new Problem(
    413,
    'too_large',
    `The body has ${found}, the limit is ${String(limit)} (limits.body): send less at once.`,
    {
      title: 'The body is over a limit',
      headers: { connection: 'close' },
    },
  );
}

/** A JSON body of a call; the events have their own reader. */
export function jsonOf(body: unknown, contentType: string | undefined): unknown {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!(body instanceof Uint8Array) || body.length === 0) {
    throw new Problem(400, 'unreadable', 'The body is empty; send a JSON object.', {
      title: 'The body cannot be read',
    });
  }
  if (type !== 'application/json' && !type.endsWith('+json')) {
    const found = type === '' ? 'no content-type was sent' : `media type ${JSON.stringify(type.slice(0, 100))}`;
    throw new Problem(415, 'unsupported_media_type', `${found}; accepted is application/json.`);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch {
    throw new Problem(400, 'unreadable', 'The body is not JSON in UTF-8.', { title: 'The body cannot be read' });
  }
}
