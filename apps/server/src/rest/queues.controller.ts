import { Controller, Get, Inject } from '@nestjs/common';
import type { ReadModels } from '#libs/application';
import { QueueList } from '#libs/contracts';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromQuery } from '../http/inputs.js';
import { Route } from '../http/route.js';
import type { Policies, Revisions } from '../services.js';
import { POLICIES, READS, REVISIONS } from '../tokens.js';
import { queueViewOf } from './queue-views.js';
import { PageQuery } from './schemas.js';

@Controller('v1/queues')
export class QueuesController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(POLICIES) private readonly policies: Policies,
    @Inject(REVISIONS) private readonly revisions: Revisions,
  ) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'queues',
    summary: 'Queues: depth, running, stuck, failure ratio, run times, oldest age, levels',
    query: PageQuery,
    ok: { schema: QueueList, description: 'A page of queues, by name.' },
  })
  async list(@FromQuery() query: ListQuery & { readonly namespace: string }): Promise<QueueList> {
    const { namespace } = query;
    return await listed(
      'queues',
      query,
      (page) => this.reads.queues.list(namespace, page),
      (row) => queueViewOf(row, this.policies, this.revisions),
    );
  }
}
