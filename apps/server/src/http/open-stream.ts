import type { FastifyReply } from 'fastify';
import type { StreamItem } from '#libs/application';
import { sendStream, type StreamEnd } from './sse.js';

/**
 * Answers with a stream: until it is over, the reader has gone, or the service ends. Throws what the stream throws before
 * anything of it was sent.
 */
export async function openStream(
  reply: FastifyReply,
  ending: AbortSignal,
  items: (signal: AbortSignal) => AsyncGenerator<StreamItem, void, void>,
): Promise<StreamEnd> {
  const gone = new AbortController();
  // Of this answer, not of the connection: that one may carry many requests, and would gather listeners.
  reply.raw.once('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, ending]);
  const open = () => {
    reply.hijack();
    return reply.raw;
  };
  return await sendStream(open, items(signal), signal);
}
