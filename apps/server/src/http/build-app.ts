import { NestFactory } from '@nestjs/core';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppModule } from '../app.module.js';
import { guardRoutes } from '../auth/guard.js';
import { measureRequests } from '../metrics/http-metrics.js';
import type { Role } from '#libs/config';
import type { Services } from '../services.js';
import { readBodiesAsBytes } from './body.js';
import { serveDashboard } from './dashboard.js';
import { HANDLER_MS, limitWaiting } from './deadline.js';
import { watchIntake } from './in-flight.js';
import { watchLongArrivals } from './list-body.js';
import { useNameLimits } from './names.js';
import { NestLogger } from './nest-logger.js';
import { OpenApi } from './openapi.js';
import { keepAnswersPrivate } from './private-answers.js';
import { answerBrokenRequest } from './broken-request.js';
import { ProblemFilter, sendProblem } from './problem-filter.js';
import { problemOf } from './problem-of.js';
import { RouteTable } from './route-table.js';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface AppOptions {
  readonly roles: readonly Role[];
  /** How events come besides HTTP. `startAllMicroservices` of the application begins it. */
  readonly strategy?: CustomTransportStrategy;
  /** Whether the web pages are served beside the API. Default false. */
  readonly dashboard?: boolean;
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
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      sendProblem(problemOf(error), request, reply);
    },
    clientErrorHandler: answerBrokenRequest,
    ...(options.server !== undefined && { serverFactory: serveOn(options.server) }),
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const routes = new RouteTable();
  const openApi = new OpenApi();
  routes.watch(fastify);
  measureRequests(fastify, services.metrics);
  closeWhenDraining(fastify, services);
  keepAnswersPrivate(fastify);
  guardRoutes(fastify, services.authenticator);
  limitWaiting(fastify, HANDLER_MS);
  watchIntake(fastify, services.clock);
  watchLongArrivals(fastify);
  readBodiesAsBytes(fastify, () => services.policies.limits().bodyBytes);
  useNameLimits(fastify, services.policies.limits);
  if (options.dashboard === true) await serveDashboard(fastify);
  const module = AppModule.of(services, options.roles, openApi);
  const nest = { logger: new NestLogger(services.log), bodyParser: false, abortOnError: false };
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest's options are a class that nobody makes instances of
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, nest);
  app.useGlobalFilters(new ProblemFilter(services.log, routes));
  openApi.describe(app);
  if (options.strategy !== undefined) app.connectMicroservice({ strategy: options.strategy });
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
