import { Controller, Get, Inject } from '@nestjs/common';
import { workerView, type ReadModels } from '#libs/application';
import { WorkerList } from '#libs/contracts';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromQuery } from '../http/inputs.js';
import { Route } from '../http/route.js';
import type { HttpLane, Policies } from '../services.js';
import { CLOCK, POLICIES, READS } from '../tokens.js';
import { PageQuery } from './schemas.js';

@Controller('v1')
export class WorkersController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(POLICIES) private readonly policies: Policies,
    @Inject(CLOCK) private readonly clock: HttpLane,
  ) {}

  @Get('workers')
  @Route({
    scope: 'read',
    tag: 'workers',
    summary: 'Workers: what each holds, its revision and last beat',
    description: 'Also what a worker says to hold and nobody has told of: `known: false`, and no verdict follows.',
    query: PageQuery,
    ok: { schema: WorkerList, description: 'A page of workers, by id.' },
  })
  async workers(@FromQuery() query: ListQuery & { readonly namespace: string }): Promise<WorkerList> {
    const reading = await this.clock.read();
    const { namespace } = query;
    return await listed(
      'workers',
      query,
      (page) => this.reads.workers.list(namespace, page),
      (row) => workerView(row, this.policies.source, reading),
    );
  }
}
