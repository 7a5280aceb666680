import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { cutsOf, deadLetterFixture, deadLetterView, exportDeadLetters, type JobRow, type ReadModels } from '#libs/application';
import { DeadLetterFixture, DeadLetterList, DeadLetterView, REDACTED } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromPlainQuery, FromQuery, TheJob } from '../http/inputs.js';
import { NDJSON, sendLines } from '../http/ndjson.js';
import { notFound } from '../http/problem.js';
import { problemOf } from '../http/problem-of.js';
import { Route } from '../http/route.js';
import type { Lifecycle } from '../boot/lifecycle.js';
import type { Policies } from '../services.js';
import { LIFECYCLE, LOG, POLICIES, READS } from '../tokens.js';
import { DeadLetterQuery, DeadLettersQuery, FixtureQuery, QueueQuery } from './schemas.js';

@Controller('v1/dead-letters')
export class DeadLettersController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(POLICIES) private readonly policies: Policies,
    @Inject(LIFECYCLE) private readonly lifecycle: Lifecycle,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'dead letters',
    summary: 'Jobs that failed for good, each with the whole chain',
    query: DeadLettersQuery,
    ok: { schema: DeadLetterList, description: 'A page of dead letters, newest first.' },
  })
  async list(
    @FromQuery() query: ListQuery & { readonly namespace: string; readonly queue?: string; readonly kind?: string },
  ): Promise<DeadLetterList> {
    const { namespace, queue, kind } = query;
    const scope = { namespace, ...(queue !== undefined && { queue }), ...(kind !== undefined && { kind }) };
    return await listed('dead-letters', query, (page) => this.reads.jobs.deadLetters(scope, page), deadLetterView);
  }

  @Get('export')
  @Route({
    scope: 'read',
    streams: true,
    tag: 'dead letters',
    summary: 'All dead letters, one a line',
    description:
      'Streamed, queue by queue, newest first, for as long as the reader takes. What breaks off is told by a last line of type `error`, or by the end of the connection.',
    query: QueueQuery,
    ok: { schema: DeadLetterView, description: 'A dead letter a line.', type: NDJSON },
  })
  async export(
    @FromQuery() scope: { readonly namespace: string; readonly queue?: string },
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (request.method === 'HEAD') {
      void reply.type(NDJSON).send();
      return;
    }
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.lifecycle.ending]);
    const open = () => {
      reply.hijack();
      return reply.raw;
    };
    const failed = (error: unknown) => {
      const { code, message } = problemOf(error);
      return { type: 'error', code, detail: message, requestId: request.id };
    };
    const end = await sendLines(open, lettersOf(exportDeadLetters(this.reads, scope)), { signal, failed });
    if (end.why !== 'over') this.log.warn({ requestId: request.id, why: end.why, err: end.error }, 'an export ended early');
  }

  @Get('one/fixture')
  @Route({
    scope: 'read',
    tag: 'dead letters',
    summary: 'One dead letter as the input of a test',
    description:
      'What it ran with, its first failure, or that of `attempt`, and the chain, by the rules of redaction as they are now: for a test that lies somewhere else.',
    query: FixtureQuery,
    ok: { schema: DeadLetterFixture, description: 'The fixture.' },
    problems: { 404: 'There is no such job, or it is not dead-lettered; or it has no such attempt.' },
  })
  async fixture(@TheJob() ref: JobRef, @FromPlainQuery() { attempt }: { readonly attempt?: number }, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const row = await this.letter(ref);
    const { redaction } = this.policies.file();
    const replacements = [REDACTED, ...redaction.map(({ replaceWith }) => replaceWith)];
    const text = await deadLetterFixture(row, this.reads.jobs, { redactor: this.policies.redactor(), replacements, attempt });
    if (text === null) throw notFound('attempt_unknown', `It has no attempt ${String(attempt)}; \`chain\` of the dead letter has them.`);
    void reply.type('application/json; charset=utf-8').header('cache-control', 'no-store');
    return text;
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
    const view = deadLetterView(await this.letter(ref));
    const [cuts, pattern] = await Promise.all([this.reads.jobs.cuts(ref), this.reads.deadLetters.patternOf(ref)]);
    const cut = cutsOf(cuts);
    return { ...view, ...(pattern !== null && { pattern }), ...(cut.length > 0 && { cut }) };
  }

  private async letter(ref: JobRef): Promise<JobRow> {
    const row = await this.reads.jobs.one(ref);
    if (row?.status === 'dead-lettered') return row;
    throw notFound(
      'dead_letter_unknown',
      `Job ${JSON.stringify(ref.id)} of queue ${JSON.stringify(ref.queue)} is not among the dead letters.`,
    );
  }
}

async function* lettersOf(rows: AsyncIterable<JobRow>): AsyncGenerator<DeadLetterView, void, void> {
  for await (const row of rows) yield deadLetterView(row);
}
