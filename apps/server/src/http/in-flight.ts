import type { FastifyInstance, FastifyRequest } from 'fastify';
import { specOf } from '../auth/guard.js';
import type { HttpLane } from '../services.js';

interface Entry {
  readonly leave: () => void;
  handling: boolean;
}

const entries = new WeakMap<FastifyRequest, Entry>();

/**
 * Requests with events count for the lane's watermark from their first byte until they are answered. One whose client
 * has gone away, or was told to come again, still counts while its events may yet be appended.
 */
export function watchIntake(fastify: FastifyInstance, clock: HttpLane): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (specOf(request)?.intake === true) entries.set(request, { leave: clock.enter(), handling: false });
    done();
  });
  // Not when the answer has left: a client that does not read it would hold the watermark back.
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    leaveUnlessHandled(request);
    done(null, payload);
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    leaveUnlessHandled(request);
    done();
  });
}

function leaveUnlessHandled(request: FastifyRequest): void {
  const entry = entries.get(request);
  if (entry?.handling === false) entry.leave();
}

/** Around what the handler does with the events. */
export async function handling<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  const entry = entries.get(request);
  if (entry === undefined) return await work();
  entry.handling = true;
  try {
    return await work();
  } finally {
    entry.leave();
  }
}
