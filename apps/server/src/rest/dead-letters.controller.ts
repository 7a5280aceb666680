import { Controller, Get, Inject } from '@nestjs/common';
import { deadLetterView, type ReadModels } from '#libs/application';
import { DeadLetterList, DeadLetterView } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromQuery, TheJob } from '../http/inputs.js';
import { notFound } from '../http/problem.js';
import { Route } from '../http/route.js';
import { READS } from '../tokens.js';
import { DeadLetterQuery, QueuePageQuery } from './schemas.js';

@Controller('v1/dead-letters')
export class DeadLettersController {
  constructor(@Inject(READS) private readonly reads: ReadModels) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'dead letters',
    summary: 'Jobs that failed for good, each with the whole chain',
    query: QueuePageQuery,
    ok: { schema: DeadLetterList, description: 'A page of dead letters, newest first.' },
  })
  async list(
    @FromQuery() query: ListQuery & { readonly namespace: string; readonly queue?: string },
  ): Promise<DeadLetterList> {
    const { namespace, queue } = query;
    const scope = { namespace, ...(queue !== undefined && { queue }) };
    return await listed('dead-letters', query, (page) => this.reads.jobs.deadLetters(scope, page), deadLetterView);
  }

  @Get('one')
  @Route({
    scope: 'read',
    tag: 'dead letters',
    summary: 'One dead letter with the whole chain',
    query: DeadLetterQuery,
    ok: { schema: DeadLetterView, description: 'The dead letter.' },
    problems: { 404: 'There is no such job, or it is not dead-lettered.' },
  })
  async one(@TheJob() ref: JobRef): Promise<DeadLetterView> {
    const row = await this.reads.jobs.one(ref);
    if (row?.status === 'dead-lettered') return deadLetterView(row);
    throw notFound(
      'dead_letter_unknown',
      `Job ${JSON.stringify(ref.id)} of queue ${JSON.stringify(ref.queue)} is not among the dead letters.`,
    );
  }
}
