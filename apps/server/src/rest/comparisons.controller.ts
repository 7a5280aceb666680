import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Type } from 'typebox';
import { comparisonLine, comparisonOf, LIST_LIMITS, TerminalError, type CompareItem } from '#libs/application';
import { BrokenComparison, BrokenListLine, ComparedJob, Comparison, ComparisonSummary, TheirJob } from '#libs/contracts';
import { maySee, type Caller } from '../auth/caller.js';
import type { Lifecycle } from '../boot/lifecycle.js';
import { requestAborted } from '../http/body.js';
import { FromQuery, TheCaller } from '../http/inputs.js';
import { discard, listBody } from '../http/list-body.js';
import { NDJSON, sendLines } from '../http/ndjson.js';
import { Problem } from '../http/problem.js';
import { problemOf } from '../http/problem-of.js';
import { Route } from '../http/route.js';
import type { Policies, Reconciling } from '../services.js';
import { LIFECYCLE, LOG, POLICIES, RECONCILING } from '../tokens.js';
import { compareRequest, type CompareCall } from './compare-request.js';
import { CompareQuery } from './schemas.js';

const Line = Type.Union([ComparedJob, BrokenListLine, ComparisonSummary, BrokenComparison], {
  description: 'A line each; the last one is the summary, or an error.',
});

@Controller('v1/reconciliations')
export class ComparisonsController {
  constructor(
    @Inject(RECONCILING) private readonly reconciling: Reconciling,
    @Inject(POLICIES) private readonly policies: Policies,
    @Inject(LIFECYCLE) private readonly lifecycle: Lifecycle,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @Post('compare')
  @Route({
    scope: 'read',
    streams: true,
    tag: 'reconciliations',
    summary: 'Compares what somebody else believes with what is known here',
    description:
      'Takes a list of jobs as NDJSON, streamed, and answers the differences: with `Accept: application/x-ndjson` each as it is found, while the list is still being sent, and a summary at the end; else one object with examples. A difference is looked at twice, a second apart, and is none where the job has only moved. Broken lines are told and left out. Mending needs the scope operate.',
    query: CompareQuery,
    bodies: { [NDJSON]: TheirJob },
    ok: { schema: Comparison, description: 'What it came to.', also: { [NDJSON]: Line } },
    problems: {
      408: 'Nothing of the list arrived for 30 seconds.',
      413: 'Over 1,000,000 lines or 256 MiB.',
      415: 'The list is not NDJSON.',
    },
  })
  async compare(
    @FromQuery() query: CompareCall,
    @TheCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.lifecycle.ending]);
    try {
      const wanted = compareRequest(query, caller, this.policies.limits());
      const seen = (namespace: string) => maySee(caller, namespace);
      const items = this.reconciling.compare.run(
        listBody(request, LIST_LIMITS.bytes, signal),
        { ...wanted, maySee: seen, limits: this.policies.limits() },
        signal,
      );
      await (wantsLines(request) ? this.answerLines(items, request, reply, signal) : answerWhole(items, reply));
    } catch (error) {
      throw this.asProblem(error);
    } finally {
      discard(request);
    }
  }

  private async answerLines(
    items: AsyncGenerator<CompareItem, void, void>,
    request: FastifyRequest,
    reply: FastifyReply,
    signal: AbortSignal,
  ): Promise<void> {
    const open = () => {
      reply.hijack();
      return reply.raw;
    };
    const failed = (error: unknown) => {
      const { code, message } = this.asProblem(error);
      return { type: 'error', code, detail: message, requestId: request.id };
    };
    const end = await sendLines(open, lines(items), { signal, failed });
    if (end.why !== 'over') this.log.warn({ requestId: request.id, why: end.why, err: end.error }, 'a comparison ended early');
  }

  private asProblem(error: unknown): Problem {
    if (!(error instanceof TerminalError)) return problemOf(error);
    switch (error.code) {
      case 'list_too_large':
        return new Problem(413, error.code, error.message, { title: 'The list is over a limit' });
      case 'list_empty':
        return new Problem(400, error.code, error.message);
      case 'interrupted':
        if (!this.lifecycle.ending.aborted) return requestAborted();
        return new Problem(503, 'draining', error.message, { headers: { 'retry-after': '1' } });
      default:
        return problemOf(error);
    }
  }
}

async function answerWhole(items: AsyncIterable<CompareItem>, reply: FastifyReply): Promise<void> {
  void reply.type('application/json; charset=utf-8').send(JSON.stringify(await comparisonOf(items)));
}

async function* lines(items: AsyncIterable<CompareItem>): AsyncGenerator<object, void, void> {
  for await (const item of items) yield comparisonLine(item);
}

function wantsLines(request: FastifyRequest): boolean {
  return (request.headers.accept ?? '').split(',').some((type) => type.split(';', 1)[0]?.trim() === NDJSON);
}
