import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension, ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import type { TObject, TSchema } from 'typebox';
import type { TokenScope } from '#libs/config';
import { ProblemDetails } from '#libs/contracts';

/** What a route takes, answers and asks of its caller: read by the guard, the checks and the documentation alike. */
export interface RouteSpec {
  /** `open`: for everybody, such as a probe. */
  readonly scope: TokenScope | 'open';
  /** It is about the whole installation: a token bound to some namespaces is not enough. */
  readonly everywhere?: boolean;
  /** May come up before the body is read, and counts for the watermark of the HTTP lane. */
  readonly intake?: boolean;
  /** The handler reads the body as it comes, for as long as it takes: limits on bodies and waits do not hold. */
  readonly streams?: boolean;
  /** A body may be so large, should `limits.body` be less: its sender cannot be told to send less at once. */
  readonly bodyBytes?: number;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: TObject;
  /** Of a JSON body, which is checked by it. */
  readonly body?: TSchema;
  /** Of a body that the handler reads itself, by media type. */
  readonly bodies?: Readonly<Record<string, TSchema>>;
  readonly ok?: {
    readonly status?: number;
    readonly schema?: TSchema;
    readonly description: string;
    readonly type?: string;
    /** Of further media types that `Accept` can ask for. */
    readonly also?: Readonly<Record<string, TSchema>>;
  };
  /** Further answers that are no problems, by their status. */
  readonly answers?: Readonly<Record<number, { readonly schema: TSchema; readonly description: string }>>;
  /** Besides 400, 401, 403, 404 and 503, which every route may answer. */
  readonly problems?: Readonly<Record<number, string>>;
}

const ROUTE = Symbol('route');

export function routeSpecOf(handler: object): RouteSpec {
  return Reflect.getMetadata(ROUTE, handler) as RouteSpec;
}

/** Says everything about a route once. */
export function Route(spec: RouteSpec): MethodDecorator {
  const { status = 200, schema, description = 'Done.', type = 'application/json', also = {} } = spec.ok ?? {};
  return applyDecorators(
    SetMetadata(ROUTE, spec),
    RouteConfig({ spec }),
    HttpCode(status),
    ApiOperation({
      summary: spec.summary,
      tags: [spec.tag],
      ...(spec.description !== undefined && { description: spec.description }),
    }),
    ...scopeDocs(spec),
    ...Object.entries(spec.params ?? {}).map(([name, text]) =>
      ApiParam({ name, description: text, schema: { type: 'string' } }),
    ),
    ...queryDocs(spec.query),
    ...bodyDocs(spec.bodies ?? (spec.body === undefined ? {} : { 'application/json': spec.body })),
    ApiResponse({
      status,
      description,
      content: {
        [type]: { schema: schema === undefined ? { type: 'string' } : plain(schema) },
        ...Object.fromEntries(Object.entries(also).map(([name, other]) => [name, { schema: plain(other) }])),
      },
    }),
    ...Object.entries(spec.answers ?? {}).map(([code, answer]) =>
      ApiResponse({ status: Number(code), description: answer.description, content: { 'application/json': { schema: plain(answer.schema) } } }),
    ),
    ...Object.entries(problemsOf(spec)).map(([code, text]) =>
      ApiResponse({
        status: Number(code),
        description: text,
        content: { 'application/problem+json': { schema: plain(ProblemDetails) } },
      }),
    ),
  );
}

function scopeDocs({ scope, everywhere }: RouteSpec): MethodDecorator[] {
  const extension = everywhere === true ? { scope, namespaces: 'all' } : { scope };
  return [ApiExtension('x-jobwarden-access', extension)];
}

function queryDocs(query: TObject | undefined): MethodDecorator[] {
  if (query === undefined) return [];
  const required: readonly string[] = (query as { readonly required?: readonly string[] }).required ?? [];
  return Object.entries(query.properties).map(([name, schema]) => {
    const { description, ...rest } = plain(schema) as { description?: string };
    return ApiQuery({
      name,
      required: required.includes(name),
      schema: rest,
      ...(description !== undefined && { description }),
    });
  });
}

/** Swagger knows one schema for a body, OpenAPI one by media type: handed on beside it, and put in its place later. */
export const BODIES = 'x-bodies';

function bodyDocs(bodies: Readonly<Record<string, TSchema>>): MethodDecorator[] {
  const content = Object.entries(bodies).map(([type, schema]) => [type, { schema: plain(schema) }] as const);
  return content.length === 0 ? [] : [ApiExtension(BODIES, Object.fromEntries(content))];
}

function problemsOf(spec: RouteSpec): Readonly<Record<number, string>> {
  const guarded: Record<number, string> =
    spec.scope === 'open'
      ? {}
      : {
          401: 'No token, or an unknown one.',
          403: 'The token has not the scope, or the request comes from a foreign page.',
        };
  const problems: Record<number, string> = {
    ...(spec.query !== undefined || spec.body !== undefined || spec.bodies !== undefined || spec.params !== undefined
      ? { 400: 'Something of the request is not valid; `errors` says what.' }
      : {}),
    ...guarded,
    ...spec.problems,
    ...(spec.scope === 'open'
      ? {}
      : { 503: 'Starting, ending, or without its database; `connection_exhaustion` when no connection is free.' }),
  };
  // What the route answers itself under such a status says more.
  return Object.fromEntries(Object.entries(problems).filter(([status]) => spec.answers?.[Number(status)] === undefined));
}

/** A schema as plain JSON: the document must not hold what only the type builder knows. */
export function plain(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
}
