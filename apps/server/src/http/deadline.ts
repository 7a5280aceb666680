import type { FastifyInstance, FastifyRequest } from 'fastify';
import { specOf } from '../auth/guard.js';
import { Problem } from './problem.js';

/** Longer than it takes to tell that no connection is free, and than any answer should take. */
export const HANDLER_MS = 10_000;

const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>();

/**
 * Nobody waits for ever, whatever the database is blocked by. What the handler was about may yet happen, so the answer
 * promises nothing. The framework's own limit ends with the request's body, before most handlers have begun.
 */
export function limitWaiting(fastify: FastifyInstance, ms: number): void {
  fastify.addHook('preHandler', (request, reply, done) => {
    if (specOf(request)?.streams === true) {
      done();
      return;
    }
    const timer = setTimeout(() => {
      // A stream has been hijacked long since.
      if (!reply.sent && !reply.raw.headersSent) reply.send(late());
    }, ms);
    timers.set(request, timer.unref());
    done();
  });
  const clear = (request: FastifyRequest): void => clearTimeout(timers.get(request));
  fastify.addHook('onResponse', (request, _reply, done) => {
    clear(request);
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    clear(request);
    done();
  });
}

function late(): Problem {
  return new Problem(
    503,
    'timeout',
    'It took too long, and what became of it is not certain. Events may be sent again as they are.',
    {
      title: 'Took too long',
      headers: { 'retry-after': '5' },
    },
  );
}
