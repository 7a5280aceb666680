import type { IncomingMessage, ServerResponse } from 'node:http';
import { NO_POST, type Receiver } from './receiver.js';

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * The receiver as a handler of `node:http`, and of frameworks over it, in front of whatever parses bodies: the signature is of the
 * bytes as they came. Where those were read already, `request.rawBody` has to have them. Never rejects.
 */
export function nodeHandler(receiver: Receiver): NodeHandler {
  return async (request, response) => {
    const answer = await answerTo(request, receiver);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
    // What is left of a body that is too large is not waited for.
    if (!request.complete) response.once('finish', () => request.destroy());
  };
}

async function answerTo(request: IncomingMessage, receiver: Receiver): Promise<Response> {
  // Some methods cannot even be put into a Request.
  if (request.method !== 'POST') return receiver.refuse(NO_POST);
  const body = await bytesOf(request, receiver.maxBodyBytes);
  return body === null ? receiver.refuse(CONSUMED) : await receiver.handle(requestOf(request, body));
}

const CONSUMED = { code: 'body_consumed', detail: 'the body was read before it came here: mount this in front of body parsers, or keep request.rawBody' } as const;

/** null: somebody has read it. */
async function bytesOf(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  const { rawBody } = request as { readonly rawBody?: unknown };
  if (Buffer.isBuffer(rawBody)) return rawBody;
  if (request.readableEnded || request.readableDidRead) return null;
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.byteLength;
      // One byte too many is enough to be refused.
      if (bytes > maxBytes) break;
    }
  } catch {
    // The sender has gone: what is there will not fit its signature, and nobody reads the answer.
  }
  return Buffer.concat(parts);
}

/** With what the receiver looks at. Where it was sent matters to nobody. */
function requestOf({ headers }: IncomingMessage, body: Buffer): Request {
  const list = Object.entries(headers).flatMap(([name, value]): [string, string][] => (name.startsWith('webhook-') && typeof value === 'string' ? [[name, value]] : []));
  return new Request('http://webhook.invalid/', { method: 'POST', headers: list, body });
}
