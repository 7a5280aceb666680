import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { asyncApiDocument } from '#libs/contracts';
import type { Metrics } from '#libs/observability';
import type { Lifecycle } from '../boot/lifecycle.js';
import type { OpenApi } from '../http/openapi.js';
import { Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import { COLLECT, DATABASE_IS_THERE, LEFT_BEHIND, LIFECYCLE, METRICS, OPENAPI } from '../tokens.js';
import { Health } from './schemas.js';

/** Probes, metrics and the description of the service itself: of every role. */
@Controller()
export class ServiceController {
  constructor(
    @Inject(LIFECYCLE) private readonly lifecycle: Lifecycle,
    @Inject(DATABASE_IS_THERE) private readonly databaseIsThere: () => Promise<boolean>,
    @Inject(LEFT_BEHIND) private readonly leftBehind: () => string | null,
    @Inject(METRICS) private readonly metrics: Metrics,
    @Inject(COLLECT) private readonly collect: () => Promise<void>,
    @Inject(OPENAPI) private readonly openApi: OpenApi,
  ) {}

  @Get('healthz')
  @Route({
    scope: 'open',
    tag: 'service',
    summary: 'Is the process alive?',
    ok: { schema: Health, description: 'It is.' },
  })
  health(): { readonly status: string } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Route({
    scope: 'open',
    tag: 'service',
    summary: 'May it be sent requests?',
    ok: { schema: Health, description: 'It may.' },
    problems: { 503: 'Starting, migrating, draining, without its database, or left behind by a switch of the fold version: `code` says which.' },
  })
  async ready(): Promise<{ readonly status: string }> {
    const { phase } = this.lifecycle;
    if (phase !== 'ready')
      throw new Problem(503, phase, `The service is ${phase}.`, { headers: { 'retry-after': '1' } });
    const leftBehind = this.leftBehind();
    if (leftBehind !== null) throw new Problem(503, 'fold_version', `This program is left behind: ${leftBehind}.`);
    if (await this.databaseIsThere()) return { status: 'ready' };
    throw new Problem(503, 'database_unavailable', 'The database cannot be reached.', {
      headers: { 'retry-after': '1' },
    });
  }

  @Get('metrics')
  @Route({
    scope: 'read',
    tag: 'service',
    summary: 'Metrics for Prometheus',
    ok: { description: 'The text format.', type: 'text/plain' },
  })
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    await this.collect();
    const { registry } = this.metrics;
    await reply.type(registry.contentType).send(await registry.metrics());
  }

  @Get('openapi.json')
  @Route({
    scope: 'open',
    tag: 'service',
    summary: 'This description',
    ok: { schema: Type.Object({}), description: 'OpenAPI 3.1.' },
  })
  document(): object {
    return this.openApi.document();
  }

  @Get('asyncapi.json')
  @Route({
    scope: 'open',
    tag: 'service',
    summary: 'The description of the topics',
    ok: { schema: Type.Object({}), description: 'AsyncAPI 3.0.' },
  })
  topics(): object {
    return asyncApiDocument();
  }
}
