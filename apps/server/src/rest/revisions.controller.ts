import { Controller, Get, Inject, Post } from '@nestjs/common';
import { refusalView, revisionViews, type RevisionOutcome, type RevisionRefusal } from '#libs/application';
import { ReadmitCall, RefusalAnswer, RefusalList, RefuseCall, RevisionList } from '#libs/contracts';
import { DEFAULT_NAMESPACE } from '#libs/domain';
import { seen, type Caller } from '../auth/caller.js';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromBody, FromQuery, TheCaller } from '../http/inputs.js';
import { Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Revisions } from '../services.js';
import { REVISIONS } from '../tokens.js';
import { QueueQuery, RefusalsQuery } from './schemas.js';

/** Releases of workers, and which are out of service. */
@Controller('v1/revisions')
export class RevisionsController {
  constructor(@Inject(REVISIONS) private readonly revisions: Revisions) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'revisions',
    summary: 'Releases of workers that were seen, by queue, and which are refused',
    description: 'From the workers that name a revision and beat within the last day, what they hold, and what became of their attempts.',
    query: QueueQuery,
    ok: { schema: RevisionList, description: 'All of them.' },
  })
  async list(@FromQuery() { namespace, queue }: { readonly namespace: string; readonly queue?: string }): Promise<RevisionList> {
    const { quarantine, reads } = this.revisions;
    const standing = quarantine.standingIn(namespace).filter((refusal) => queue === undefined || refusal.queue === null || refusal.queue === queue);
    const [seenNow, records] = await Promise.all([reads.seen(namespace, queue ?? null), this.revisions.records(namespace, queue ?? null)]);
    return { items: revisionViews(namespace, { seen: seenNow, records, standing }) };
  }

  @Get('refusals')
  @Route({
    scope: 'read',
    tag: 'revisions',
    summary: 'Who took which release out of service and let it in again, when and why',
    description: 'Kept for 90 days after it was let in.',
    query: RefusalsQuery,
    ok: { schema: RefusalList, description: 'A page of decisions, newest first.' },
  })
  async refusals(@FromQuery() query: ListQuery & { readonly namespace: string; readonly queue?: string; readonly revision?: string }): Promise<RefusalList> {
    const { namespace, queue, revision } = query;
    const filter = { namespace, ...(queue !== undefined && { queue }), ...(revision !== undefined && { revision }) };
    return await listed('refusals', query, (page) => this.revisions.store.list(filter, page), refusalView);
  }

  @Post('refuse')
  @Route({
    scope: 'operate',
    tag: 'revisions',
    summary: 'Takes a release out of service',
    description:
      'No claim is granted to a worker that names it, and the worker library begins nothing more of it, claims or not. What it runs goes on under its lease. Nothing is changed in any cluster. Idempotent.',
    body: RefuseCall,
    ok: { schema: RefusalAnswer, description: 'It stands; every replica goes by it within two seconds.' },
    problems: {
      404: '`queue_unknown`; `revision_unknown`: no worker names it (`force`).',
      409: '`last_revision`: all workers that are alive run it; `only_healthy_revision`: no other has a record of jobs that ended well (both: `force`).',
    },
  })
  async refuse(@FromBody() { force = false, ...body }: RefuseCall, @TheCaller() caller: Caller): Promise<RefusalAnswer> {
    return answered(await this.revisions.calls.refuse({ ...request(body, caller), force }));
  }

  @Post('readmit')
  @Route({
    scope: 'operate',
    tag: 'revisions',
    summary: 'Lets a release in again',
    body: ReadmitCall,
    ok: { schema: RefusalAnswer, description: 'It is let in.' },
    problems: { 409: '`not_refused`: nothing of just this scope stands. `incident_open`: runs of the `incidentIds` keep it out; abort or resolve them first.' },
  })
  async readmit(@FromBody() body: ReadmitCall, @TheCaller() caller: Caller): Promise<RefusalAnswer> {
    return answered(await this.revisions.calls.readmit(request(body, caller)));
  }
}

function request({ namespace = DEFAULT_NAMESPACE, queue = null, revision, reason }: Omit<ReadmitCall, 'queue'> & { readonly queue?: string | null }, caller: Caller) {
  return { namespace: seen(caller, namespace), queue, revision, reason, by: caller.name };
}

const STATUS_OF: Readonly<Record<RevisionRefusal, number>> = {
  reason_required: 400,
  queue_unknown: 404,
  revision_unknown: 404,
  last_revision: 409,
  only_healthy_revision: 409,
  not_refused: 409,
  incident_open: 409,
};

function answered(outcome: RevisionOutcome): RefusalAnswer {
  if (outcome.kind === 'refused') {
    const { code, detail, incidentIds } = outcome;
    throw new Problem(STATUS_OF[code], code, detail, { members: incidentIds === undefined ? {} : { incidentIds } });
  }
  const { refusal, changed, standing } = outcome;
  return { refusal: refusalView(refusal), changed, ...standing };
}
