import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from './problem.js';

export interface KnownRoute {
  readonly method: string;
  /** As the router has it: `/v1/queues/:queue`. */
  readonly path: string;
}

/** Every route of the server, as the router was told. Says which methods a path has, where the router only says 404. */
export class RouteTable {
  readonly routes: KnownRoute[] = [];

  /** Before any route is made. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const one of Array.isArray(method) ? method : [method]) this.routes.push({ method: one, path: url });
    });
  }

  /** A route that is there with another method is 405, with those it has. */
  refine(problem: Problem, request: FastifyRequest): Problem {
    if (problem.code !== 'route_unknown') return problem;
    const path = request.url.split(/[?#]/, 1)[0] ?? '/';
    const methods = new Set(this.routes.filter((route) => matches(route.path, path)).map((route) => route.method));
    if (methods.size === 0) return problem;
    const allow = [...methods].sort().join(', ');
    const detail = `${request.method} is not possible here; possible: ${allow}.`;
    return new Problem(405, 'method_not_allowed', detail, { headers: { allow } });
  }
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const found = path.split('/');
  return (
    wanted.length === found.length &&
    wanted.every((part, i) => (part.startsWith(':') ? found[i] !== '' : part === found[i]))
  );
}
