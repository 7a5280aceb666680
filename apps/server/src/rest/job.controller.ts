import { Controller, Get, Inject } from '@nestjs/common';
import { jobDetail, timelineEvent, type ReadModels } from '#libs/application';
import { JobDetail, Timeline } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromQuery, TheJob } from '../http/inputs.js';
import { notFound, type Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Policies } from '../services.js';
import { POLICIES, READS } from '../tokens.js';
import { JOB_PARAMS, JOB_PATHS, retired } from './job-path.js';
import { OneJobPageQuery, OneJobQuery } from './schemas.js';

@Controller(JOB_PATHS)
export class JobController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(POLICIES) private readonly policies: Policies,
  ) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'jobs',
    summary: 'One job with its attempts, decisions and anomalies',
    params: JOB_PARAMS,
    query: OneJobQuery,
    ok: { schema: JobDetail, description: 'The job.' },
    problems: { 404: 'No such job.', 410: 'Below the retention line; `summary` is what is left of it.' },
  })
  async one(@TheJob() ref: JobRef): Promise<JobDetail> {
    const row = await this.reads.jobs.one(ref);
    if (row === null) throw await this.gone(ref);
    return jobDetail(row, this.policies.source.policyFor(ref, row.kind), this.policies.file().traces.url);
  }

  @Get('events')
  @Route({
    scope: 'read',
    tag: 'jobs',
    summary: 'The job’s stream, in the order of the log',
    params: JOB_PARAMS,
    query: OneJobPageQuery,
    ok: { schema: Timeline, description: 'A page of the stream, oldest first.' },
    problems: { 404: 'No such job.', 410: 'Below the retention line; `summary` is what is left of it.' },
  })
  async events(@TheJob() ref: JobRef, @FromQuery() query: ListQuery): Promise<Timeline> {
    const read = async (page: Parameters<ReadModels['jobs']['timeline']>[1]) => {
      const events = await this.reads.jobs.timeline(ref, page);
      if (events === null) throw await this.gone(ref);
      return events;
    };
    return await listed('job-events', { ...query, ...ref }, read, (row) => timelineEvent(ref, row));
  }

  private async gone(ref: JobRef): Promise<Problem> {
    const summary = await this.reads.jobs.summary(ref);
    return summary === null
      ? notFound('job_unknown', `There is no job ${JSON.stringify(ref.id)} in queue ${JSON.stringify(ref.queue)}.`)
      : retired(summary);
  }
}
