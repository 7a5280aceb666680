import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../http/problem.js';
import type { RouteSpec } from '../http/route.js';
import type { Authenticator } from './authenticator.js';
import { mayUse, needsEverywhere, setCaller } from './caller.js';
import { refuseForeign } from './local-guard.js';

/** Before the body is read: who may not call must not make us read a megabyte. */
export function guardRoutes(fastify: FastifyInstance, authenticator: Authenticator): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    admit(request, authenticator);
    done();
  });
}

function admit(request: FastifyRequest, authenticator: Authenticator): void {
  const spec = specOf(request);
  if (spec?.scope === 'open') return;
  if (authenticator.open) refuseForeign(request.headers);
  const caller = authenticator.callerOf(request.headers.authorization);
  setCaller(request, caller);
  if (spec === undefined) return;
  if (!mayUse(caller, spec.scope)) {
    throw new Problem(
      403,
      'scope_missing',
      `The token ${JSON.stringify(caller.name)} has not the scope ${spec.scope}.`,
    );
  }
  if (spec.everywhere === true) needsEverywhere(caller);
}

/** undefined: no route, so nothing to guard but the fact that there is none. */
export function specOf(request: FastifyRequest): RouteSpec | undefined {
  return (request.routeOptions.config as { readonly spec?: RouteSpec } | undefined)?.spec;
}
