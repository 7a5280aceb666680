import type { FastifyInstance } from 'fastify';

/**
 * What is answered is of whoever asked, and of this moment: no browser and no proxy keeps it, and none takes it for something else
 * than it says. What says itself how long it may be kept, such as the files of the dashboard, is left as it is.
 */
export function keepAnswersPrivate(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    done(null, payload);
  });
}
