import { Controller, Get, Inject } from '@nestjs/common';
import { StuckNoticeList } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import { TheJob } from '../http/inputs.js';
import { notFound } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Services } from '../services.js';
import { JOB_NOTICES } from '../tokens.js';
import { JOB_PARAMS, JOB_PATHS } from './job-path.js';
import { OneJobQuery } from './schemas.js';

/** Whether those who should know that a job is stuck do. */
@Controller(JOB_PATHS)
export class JobNoticesController {
  constructor(@Inject(JOB_NOTICES) private readonly notices: Services['jobNotices']) {}

  @Get('notices')
  @Route({
    scope: 'read',
    tag: 'jobs',
    summary: 'Whether webhooks have been told that the job is stuck',
    description: 'Those of the policy in force with `stuck` among their events. What is stuck is gathered for a minute, a message for each queue. Addresses are shown by their host alone.',
    params: JOB_PARAMS,
    query: OneJobQuery,
    ok: { schema: StuckNoticeList, description: 'All of them; there is one page.' },
    problems: { 404: '`not_found_stuck`: no run of late has found it stuck.' },
  })
  async list(@TheJob() ref: JobRef): Promise<StuckNoticeList> {
    const found = await this.notices.of(ref);
    if (found === null) throw notFound('not_found_stuck', `No run of late has found the job ${JSON.stringify(ref.id)} stuck.`);
    return { items: [...found], next: null };
  }
}
