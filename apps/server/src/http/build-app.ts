import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { AppModule } from '../app.module.js';
import { guardRoutes } from '../auth/guard.js';
import { measureRequests } from '../metrics/http-metrics.js';
import type { Role } from '#libs/config';
import type { Services } from '../services.js';
import { readBodiesAsBytes } from './body.js';
import { watchIntake } from './in-flight.js';
import { useNameLimits } from './names.js';
import { NestLogger } from './nest-logger.js';
import { OpenApi } from './openapi.js';
import { ProblemFilter } from './problem-filter.js';
import { RouteTable } from './route-table.js';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface AppOptions {
  readonly roles: readonly Role[];
  /** The server that listens already; left out in tests that inject their requests. */
  readonly server?: { readonly instance: Server; readonly use: (handler: RequestHandler) => void };
}

export interface BuiltApp {
  readonly app: NestFastifyApplication;
  readonly fastify: FastifyInstance;
  readonly openApi: OpenApi;
  readonly routes: RouteTable;
}

/** Names are limited in bytes by the policy file; encoded in a path each byte may take three characters. */
const LONGEST_PARAM = 3 * 8_192;

/** The Nest application on Fastify, ready to be handed requests. */
export async function buildApp(services: Services, options: AppOptions): Promise<BuiltApp> {
  const adapter = new FastifyAdapter({
    logger: false,
    // Nothing here is Express middleware, and its router reads hostile paths differently from the real one.
    skipMiddie: true,
    genReqId: requestIds(),
    routerOptions: { maxParamLength: LONGEST_PARAM },
    ...(options.server !== undefined && { serverFactory: serveOn(options.server) }),
  });
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  const routes = new RouteTable();
  const openApi = new OpenApi();
  routes.watch(fastify);
  measureRequests(fastify, services.metrics);
  closeWhenDraining(fastify, services);
  guardRoutes(fastify, services.authenticator);
  watchIntake(fastify, services.clock);
  readBodiesAsBytes(fastify, () => services.policies.limits().bodyBytes);
  useNameLimits(fastify, services.policies.limits);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(services, options.roles, openApi), adapter, {
    logger: new NestLogger(services.log),
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new ProblemFilter(services.log, routes));
  openApi.describe(app);
  await app.init();
  await fastify.ready();
  return { app, fastify, openApi, routes };
}

function serveOn({ instance, use }: NonNullable<AppOptions['server']>): (handler: RequestHandler) => Server {
  return (handler) => {
    use(handler);
    return instance;
  };
}

/** Unique over replicas and restarts, and short enough to read out. */
function requestIds(): () => string {
  const process = randomBytes(5).toString('hex');
  let count = 0;
  return () => `${process}-${(count += 1).toString(36)}`;
}

/** A client that keeps its connection would find nobody behind it. */
function closeWhenDraining(fastify: FastifyInstance, { lifecycle }: Services): void {
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (lifecycle.phase === 'draining') reply.header('connection', 'close');
    done(null, payload);
  });
}
