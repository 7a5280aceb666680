import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DEFAULT_NAMESPACE, type JobRef } from '#libs/domain';
import { callerOf, seen, type Caller } from '../auth/caller.js';
import { jsonOf } from './body.js';
import { checkName, type NameKind } from './names.js';
import { nearMisses } from './near-misses.js';
import { readQuery } from './read-query.js';
import { routeSpecOf } from './route.js';
import { checked, invalid, storable } from './validate.js';

/** What handlers take. The schemas stand once, in the route's spec; a handler never sees what has not been checked. */

type Params = Readonly<Record<string, string>>;
type Query = Readonly<Record<string, unknown>>;

function requestOf(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}

function queryOf(context: ExecutionContext): Record<string, unknown> {
  const { query } = routeSpecOf(context.getHandler());
  const request = requestOf(context);
  return query === undefined ? {} : readQuery(query, request.query as Query);
}

/** The query by the route's schema. A namespace that the caller may not see is not there. */
export const FromQuery = createParamDecorator((_: unknown, context) => {
  const query = queryOf(context);
  return { ...query, namespace: namespaceOf(context, query) };
});

/** The query as it was sent, checked: for lists that show every namespace of the caller unless one is named. */
export const FromPlainQuery = createParamDecorator((_: unknown, context) => queryOf(context));

/** The namespace that was named, else all that the caller may see. */
export const TheNamespaces = createParamDecorator((_: unknown, context): Caller['namespaces'] => {
  const query = queryOf(context);
  return query['namespace'] === undefined ? callerOf(requestOf(context)).namespaces : [namespaceOf(context, query)];
});

/** The JSON body by the route's schema. */
export const FromBody = createParamDecorator((_: unknown, context) => {
  const request = requestOf(context);
  return bodyOf(context, jsonOf(request.body, request.headers['content-type']));
});

/** Like FromBody, where sending nothing is fine too. */
export const FromOptionalBody = createParamDecorator((_: unknown, context) => {
  const request = requestOf(context);
  const empty = !(request.body instanceof Uint8Array) || request.body.length === 0;
  return bodyOf(context, empty ? {} : jsonOf(request.body, request.headers['content-type']));
});

function bodyOf(context: ExecutionContext, value: unknown): unknown {
  const { body, scope } = routeSpecOf(context.getHandler());
  if (body === undefined) return value;
  // What workers send comes from programs, which may be newer than this one and have more to say.
  const slips = scope === 'emit' ? [] : nearMisses(body, value);
  if (slips.length > 0) throw invalid('body', slips);
  return storable(checked(body, value, 'body'), 'body');
}

export const TheCaller = createParamDecorator((_: unknown, context) => callerOf(requestOf(context)));

/** The job that the path names, or `?queue=&id=` where a path cannot carry its names. */
export const TheJob = createParamDecorator((_: unknown, context): JobRef => {
  const params = requestOf(context).params as Params;
  const query = queryOf(context);
  return {
    namespace: namespaceOf(context, query),
    queue: checkName('queue', named('queue', params, query), context),
    id: checkName('id', named('id', params, query), context),
  };
});

export interface QueueRef {
  readonly namespace: string;
  readonly queue: string;
}

/** The queue that the path names, or `?queue=` where a path cannot carry its name. */
export const TheQueue = createParamDecorator((_: unknown, context): QueueRef => {
  const params = requestOf(context).params as Params;
  const query = queryOf(context);
  return { namespace: namespaceOf(context, query), queue: checkName('queue', named('queue', params, query), context) };
});

/** A part of the path, such as the id of a row. */
export const FromPath = createParamDecorator(
  (name: string, context) => (requestOf(context).params as Params)[name] ?? '',
);

/** Of two names one would be passed over, and whoever sent it would not know which. */
function named(name: NameKind, params: Params, query: Query): unknown {
  if (params[name] === undefined || query[name] === undefined) return params[name] ?? query[name];
  throw invalid('query', [{ field: name, rule: 'is named by the path already', send: 'Leave it out.' }]);
}

function namespaceOf(context: ExecutionContext, query: Query): string {
  const given = query['namespace'];
  const namespace = typeof given === 'string' ? given : DEFAULT_NAMESPACE;
  return seen(callerOf(requestOf(context)), checkName('namespace' satisfies NameKind, namespace, context));
}
