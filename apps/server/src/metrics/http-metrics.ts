import type { FastifyInstance } from 'fastify';
import type { Metrics } from '#libs/observability';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
type Method = (typeof METHODS)[number] | 'other';
const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** Times by route, not by path: paths hold names. Streams would only measure how long somebody listened. */
export function measureRequests(fastify: FastifyInstance, metrics: Pick<Metrics, 'httpDuration'>): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const type = reply.raw.getHeader('content-type');
    const isStream = typeof type === 'string' && type.startsWith('text/event-stream');
    if (!isStream) {
      const method: Method = METHODS.find((known) => known === request.method) ?? 'other';
      const status = CLASSES[Math.floor(reply.statusCode / 100) - 1] ?? '5xx';
      metrics.httpDuration.observe(
        { method, route: request.routeOptions.url ?? 'unknown', status },
        reply.elapsedTime / 1_000,
      );
    }
    done();
  });
}
