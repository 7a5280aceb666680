import { Controller, Get, Inject, Post } from '@nestjs/common';
import { verdictView, type ApprovalFilter, type ApprovalOutcome, type ApprovalRequest, type ReadModels, type VerdictFilter } from '#libs/application';
import { ApproveAnswer, ApproveCall, VerdictList } from '#libs/contracts';
import type { Caller } from '../auth/caller.js';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromBody, FromQuery, TheCaller } from '../http/inputs.js';
import { instantMs } from '../http/instant.js';
import { Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import { invalid, type InputFault } from '../http/validate.js';
import type { Operate } from '../services.js';
import { OPERATE, READS } from '../tokens.js';
import { NamespaceQuery, VerdictsQuery } from './schemas.js';

@Controller('v1/verdicts')
export class VerdictsController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(OPERATE) private readonly operate: Operate,
  ) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'reconciliations',
    summary: 'Would-haves, reports and acts, graded by later facts',
    description: 'With `state=proposed`, what waits for an approval.',
    query: VerdictsQuery,
    ok: { schema: VerdictList, description: 'A page of verdicts, newest first.' },
  })
  async list(@FromQuery() query: VerdictFilter & ListQuery): Promise<VerdictList> {
    return await listed('verdicts', query, (page) => this.reads.reconciliations.verdicts(query, page), verdictView);
  }

  @Post('approve')
  @Route({
    scope: 'operate',
    tag: 'reconciliations',
    summary: 'Lets would-haves become decisions, if they are still true',
    description:
      'All of them or none. What is approved is looked at next, by the same checks as everything else, and `state` then says ' +
      'what became of it. Also for what was said before a queue was moved to `act`.',
    query: NamespaceQuery,
    body: ApproveCall,
    ok: { schema: ApproveAnswer, description: 'What is looked at now.' },
    problems: {
      409: 'Nothing was approved: `found` is another number than `count`, the jobs of some `ids` have moved on, or the queue is at observe.',
    },
  })
  async approve(
    @FromBody() body: ApproveCall,
    @FromQuery() { namespace }: { readonly namespace: string },
    @TheCaller() caller: Caller,
  ): Promise<ApproveAnswer> {
    const outcome = await this.operate.verdicts.approve({ ...scopeOf(body), namespace, by: caller.name, reason: body.reason });
    if (outcome.kind === 'refused') throw refusedAs(outcome);
    return { approved: outcome.ids.length, verdictIds: [...outcome.ids] };
  }
}

type Scope = Pick<Extract<ApprovalRequest, { ids: unknown }>, 'ids' | 'count'> | Pick<Extract<ApprovalRequest, { filter: unknown }>, 'filter' | 'count'>;

/** One way to say which, and with a filter how many. */
function scopeOf({ ids, filter, count }: ApproveCall): Scope {
  const faults: InputFault[] = [];
  if (ids === undefined && filter === undefined) faults.push({ field: 'ids', rule: 'is missing', send: 'Name them, or send a `filter` with `count`.' });
  if (ids !== undefined && filter !== undefined) faults.push({ field: 'filter', rule: 'stands beside `ids`', send: 'Send one of them.' });
  if (filter !== undefined && count === undefined) faults.push({ field: 'count', rule: 'is missing', send: 'How many the filter finds: nothing is approved if it is another number by now.' });
  const { until, ...rest } = filter ?? {};
  if (faults.length > 0) throw invalid('body', faults);
  if (ids !== undefined) {
    const named = [...new Set(ids)];
    return { ids: named, count: count ?? named.length };
  }
  const wanted: ApprovalFilter = { ...rest, ...(until !== undefined && { untilMs: instantMs(until) }) };
  return { filter: wanted, count: count ?? 0 };
}

function refusedAs({ code, detail, found, verdicts }: Extract<ApprovalOutcome, { kind: 'refused' }>): Problem {
  if (code === 'reason_required') return new Problem(400, code, detail);
  return new Problem(409, code, detail, { members: { found, ...(verdicts !== undefined && { verdicts }) } });
}
