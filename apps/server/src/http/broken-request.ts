import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import { arrivesLong } from './list-body.js';
import { Problem, PROBLEM_TYPE } from './problem.js';

/** So long may the answer take to leave. */
const LINGER_MS = 1_000;

/**
 * What never became a request: too long a header, a slow sender, no HTTP at all. Node has no answer to fill, so it is
 * written out. Then the connection is broken off: a sender whose machine is gone never closes it, and the request that
 * it had begun would hold the watermark back for ever.
 */
export function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  // Told once per request; what then goes on arriving has the reader's own limits.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && arrivesLong(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const problem = problemOf(error.code ?? '');
  const body = JSON.stringify(problem.body({ url: '/', id: 'none' }));
  socket.end(
    `HTTP/1.1 ${String(problem.status)} ${STATUS_CODES[problem.status] ?? ''}\r\ncontent-type: ${PROBLEM_TYPE}\r\n` +
      `content-length: ${String(Buffer.byteLength(body))}\r\nconnection: close\r\n\r\n${body}`,
  );
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(linger));
}

function problemOf(code: string): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(431, 'headers_too_large', 'Path, query and headers together are over 32,768 bytes.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem(408, 'request_timeout', 'The request did not arrive within 30 seconds.');
    default:
      return new Problem(400, 'request_invalid', 'This is no valid HTTP request.');
  }
}
