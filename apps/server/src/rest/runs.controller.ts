import { Controller, Get, Inject, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { incidentDetail, iso, type ReadModels, type RunOutcome, type StoredIncident } from '#libs/application';
import { ApprovalLink, ApproveRunCall, IncidentDetail, LinkApproved, OpenIncidentCall, RunCall } from '#libs/contracts';
import { phaseOf, sagaOf } from '#libs/domain';
import { seen as ownNamespace, type Caller } from '../auth/caller.js';
import { approvalPage } from '../http/approval-page.js';
import { FromBody, FromPath, FromPlainQuery, TheCaller } from '../http/inputs.js';
import { notFound, Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Runs } from '../services.js';
import { READS, RUNS } from '../tokens.js';
import { visibleIncident } from './incident-sight.js';
import { ApprovalQuery, NamespaceQuery } from './schemas.js';

const INCIDENT_PARAM = { id: 'Id of the incident.' } as const;
/** A page may lie for a while before somebody wakes up; what it asks for is an hour at most in the asking. */
const LINK_FOR_MS = 3_600_000;

interface LinkQuery {
  readonly request: number;
  readonly expires: number;
  readonly by: string;
  readonly signature: string;
}

/** What people do about saturated queues: open a run, let one go on, stop one. */
@Controller('v1/incidents')
export class RunsController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(RUNS) private readonly runs: Runs,
  ) {}

  @Post()
  @Route({
    scope: 'operate',
    tag: 'incidents',
    summary: 'Opens an incident of saturation by hand',
    description: 'Names a target, or a queue whose policy may name one. With a revision it is isolated and rolled back at any level, unless the stop switch is off; without, the log is asked for the cause, and levels hold.',
    query: NamespaceQuery,
    body: OpenIncidentCall,
    ok: { status: 201, schema: IncidentDetail, description: 'The incident; its run begins within a second.' },
    problems: { 404: '`target_unknown`, `queue_unknown`', 409: '`incident_open`: one is open for the target; `incidentId` names it, `state` says how it stands.' },
  })
  async open(@FromBody() body: OpenIncidentCall, @FromPlainQuery() query: { readonly namespace?: string }, @TheCaller() caller: Caller): Promise<IncidentDetail> {
    const { target = null, queue, revision = null, reason, dryRun = false } = body;
    const outcome = await this.runs.calls.open({
      ...{ target, revision, reason, dryRun, by: caller.name, namespaces: caller.namespaces },
      queue: queue === undefined ? null : { namespace: ownNamespace(caller, query.namespace ?? 'default'), queue },
    });
    return await this.answered(outcome);
  }

  @Post(':id/approve')
  @Route({
    scope: 'operate',
    tag: 'incidents',
    summary: 'Lets a run go on',
    description: 'What waits for an approval, and what was escalated: it goes on where it stands, with its whole time for each thing again.',
    params: INCIDENT_PARAM,
    body: ApproveRunCall,
    ok: { schema: IncidentDetail, description: 'The incident as it stands now.' },
    problems: { 404: 'No such incident.', 409: '`nothing_to_approve`, `not_asked_any_more`, `not_a_run`, `incident_resolved`' },
  })
  async approve(@FromPath('id') id: string, @FromBody() { reason, asked }: ApproveRunCall, @TheCaller() caller: Caller): Promise<IncidentDetail> {
    await visibleIncident(this.reads, this.runs.store, id, caller);
    return await this.answered(await this.runs.calls.approve(id, { reason, by: caller.name, ...(asked !== undefined && { request: asked }) }));
  }

  @Post(':id/abort')
  @Route({
    scope: 'operate',
    tag: 'incidents',
    summary: 'Stops a run',
    description: 'What was taken away is put back, the throttle is lifted unless the policy keeps it, and the last step says what stays as it is. A revision that is refused stays so.',
    params: INCIDENT_PARAM,
    body: RunCall,
    ok: { schema: IncidentDetail, description: 'The incident as it stands now; it is resolved once things are put back.' },
    problems: { 404: 'No such incident.', 409: '`aborted_already`, `not_a_run`, `incident_resolved`' },
  })
  async abort(@FromPath('id') id: string, @FromBody() { reason }: RunCall, @TheCaller() caller: Caller): Promise<IncidentDetail> {
    await visibleIncident(this.reads, this.runs.store, id, caller);
    return await this.answered(await this.runs.calls.abort(id, { reason, by: caller.name }));
  }

  @Post(':id/approval-link')
  @Route({
    scope: 'operate',
    tag: 'incidents',
    summary: 'Makes a link that approves what a run asks now',
    description: 'For whoever is on call and has no token. It holds for an hour, approves only by POST, and only what is asked now, once.',
    params: INCIDENT_PARAM,
    ok: { status: 201, schema: ApprovalLink, description: 'The link, without the address of the service.' },
    problems: { 404: 'No such incident.', 409: '`nothing_to_approve`' },
  })
  async link(@FromPath('id') id: string, @TheCaller() caller: Caller): Promise<ApprovalLink> {
    const incident = await visibleIncident(this.reads, this.runs.store, id, caller);
    const standing = sagaOf(incident.steps);
    const request = standing?.approval?.n ?? standing?.escalated?.n;
    if (request === undefined || standing?.over === true) throw new Problem(409, 'nothing_to_approve', 'Nothing waits for an approval.');
    const expiresMs = Date.now() + LINK_FOR_MS;
    return { path: this.runs.links.pathOf({ incidentId: id, request, expiresMs, by: caller.name }), expiresAt: iso(expiresMs) };
  }

  @Get(':id/approval')
  @Route({
    scope: 'open',
    tag: 'incidents',
    summary: 'Shows what a link would approve',
    description: 'A page with a button. Opening it does nothing: mail readers and chats open every link.',
    params: INCIDENT_PARAM,
    query: ApprovalQuery,
    ok: { type: 'text/html', description: 'The page.' },
    problems: { 403: '`link_invalid`', 410: '`link_expired`' },
  })
  async page(@FromPath('id') id: string, @FromPlainQuery() query: LinkQuery, @Res() reply: FastifyReply): Promise<void> {
    const incident = await this.linked(id, query);
    const standing = sagaOf(incident.steps);
    const asked = incident.steps.find(({ n }) => n === query.request);
    const open = standing !== null && (standing.approval?.n ?? standing.escalated?.n) === query.request;
    const page = approvalPage({
      summary: incident.steps[0]?.reason ?? '',
      asks: asked?.reason ?? '',
      waitsFor: standing === null ? null : phaseOf(standing).waitsFor,
      action: open ? this.runs.links.pathOf({ incidentId: id, request: query.request, expiresMs: query.expires, by: query.by }) : null,
    });
    await reply.header('content-type', 'text/html; charset=utf-8').header('content-security-policy', "default-src 'none'; form-action 'self'").header('referrer-policy', 'no-referrer').header('cache-control', 'no-store').send(page);
  }

  @Post(':id/approval')
  @Route({
    scope: 'open',
    tag: 'incidents',
    summary: 'Approves by a link',
    params: INCIDENT_PARAM,
    query: ApprovalQuery,
    ok: { schema: LinkApproved, description: 'It goes on.' },
    problems: { 403: '`link_invalid`', 409: '`not_asked_any_more`: it was answered already', 410: '`link_expired`' },
  })
  async approveByLink(@FromPath('id') id: string, @FromPlainQuery() query: LinkQuery): Promise<LinkApproved> {
    await this.linked(id, query);
    const told = { by: `link:${query.by}`, reason: `by a link that ${query.by} had made`, request: query.request };
    await this.answered(await this.runs.calls.approve(id, told));
    return { incidentId: id, approved: true };
  }

  private async linked(id: string, query: LinkQuery): Promise<StoredIncident> {
    const reading = this.runs.links.read(id, query, Date.now());
    if ('refused' in reading) {
      const expired = reading.refused === 'link_expired';
      throw new Problem(expired ? 410 : 403, reading.refused, expired ? 'The link has expired: make another one, or approve with a token.' : 'This link was not made here, or was changed.');
    }
    const incident = await this.reads.incidents.one(id);
    if (incident === null) throw notFound('incident_unknown', 'There is no such incident.');
    return incident;
  }

  private async answered(outcome: RunOutcome): Promise<IncidentDetail> {
    if (outcome.kind === 'done') return incidentDetail(outcome.incident, await this.runs.store.queues(outcome.incident.id));
    const { code, detail, incident } = outcome;
    throw new Problem(STATUS[code] ?? 409, code, detail, { members: incident === null ? {} : { incidentId: incident.id, state: incidentDetail(incident).status } });
  }
}

const STATUS: Partial<Record<Extract<RunOutcome, { kind: 'refused' }>['code'], number>> = {
  reason_required: 400,
  target_or_queue: 400,
  target_unknown: 404,
  queue_unknown: 404,
  incident_unknown: 404,
};
