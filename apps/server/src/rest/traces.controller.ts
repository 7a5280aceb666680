import { Controller, Get, Inject } from '@nestjs/common';
import { incompleteTrace, type ReadModels } from '#libs/application';
import { IncompleteQuery, IncompleteTraces } from '#libs/contracts';
import { listed } from '../http/cursor.js';
import { FromQuery } from '../http/inputs.js';
import { instantMs } from '../http/instant.js';
import { Route } from '../http/route.js';
import type { Policies } from '../services.js';
import { POLICIES, READS } from '../tokens.js';

@Controller('v1/traces')
export class TracesController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(POLICIES) private readonly policies: Policies,
  ) {}

  @Get('incomplete')
  @Route({
    scope: 'read',
    tag: 'traces',
    summary: 'Jobs whose trace began and never completed',
    description:
      'Jobs that are not finished, that somebody traces, and of which nothing more is expected: by queue, oldest first. Each with the last span that is known, whose it is, and when nobody said that the attempt lives.',
    query: IncompleteQuery,
    ok: { schema: IncompleteTraces, description: 'A page of them.' },
  })
  async incomplete(@FromQuery() query: IncompleteQuery & { readonly namespace: string }): Promise<IncompleteTraces> {
    const { namespace, queue, since } = query;
    const scope = {
      namespace,
      ...(queue !== undefined && { queue }),
      ...(since !== undefined && { sinceMs: instantMs(since) }),
      startByMs: (of: { readonly namespace: string; readonly queue: string }) => this.policies.source.policyFor(of, null).policy.startByMs,
    };
    const { url } = this.policies.file().traces;
    const { items, next } = await listed('traces/incomplete', query, (page) => this.reads.traces.incomplete(scope, page), (row) => incompleteTrace(row, url));
    return { items: items.filter((item) => item !== null), next };
  }
}
