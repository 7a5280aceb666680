import { Controller, Get, Inject } from '@nestjs/common';
import { jobSummary, type ReadModels } from '#libs/application';
import { JobList, JobsQuery } from '#libs/contracts';
import { listed } from '../http/cursor.js';
import { FromQuery } from '../http/inputs.js';
import { instantMs } from '../http/instant.js';
import { Route } from '../http/route.js';
import { READS } from '../tokens.js';

@Controller('v1/jobs')
export class JobsController {
  constructor(@Inject(READS) private readonly reads: ReadModels) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'jobs',
    summary: 'Lists jobs',
    description:
      'In an order that does not change: whoever follows `next` sees every job that was there all the time once, whatever happens meanwhile.',
    query: JobsQuery,
    ok: { schema: JobList, description: 'A page of jobs.' },
  })
  async list(@FromQuery() query: JobsQuery & { readonly namespace: string }): Promise<JobList> {
    const { namespace, queue, status, id, kind, worker, since, held } = query;
    const filter = {
      namespace,
      ...(queue !== undefined && { queue }),
      ...(status !== undefined && { status }),
      ...(id !== undefined && { id }),
      ...(kind !== undefined && { kind }),
      ...(worker !== undefined && { worker }),
      ...(since !== undefined && { sinceMs: instantMs(since) }),
      ...(held !== undefined && { held }),
    };
    return await listed('jobs', query, (page) => this.reads.jobs.list(filter, page), jobSummary);
  }
}
