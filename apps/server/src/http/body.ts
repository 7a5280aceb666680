import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { specOf } from '../auth/guard.js';
import { Problem } from './problem.js';

/**
 * Bodies arrive as the bytes that were sent, of whatever type: an event that cannot be read is kept as it came. The
 * limit is the policy file's of this moment, which the framework's own could not follow.
 */
export function readBodiesAsBytes(fastify: FastifyInstance, limitBytes: () => number): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    refuseEncoded(request);
    if (specOf(request)?.streams === true) return payload;
    const limit = limitBytes();
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > limit) throw tooLarge(`${String(announced)} bytes`, limit);
    return await bytesOf(payload, limit);
  });
}

async function bytesOf(payload: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of payload as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge('more', limit);
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
