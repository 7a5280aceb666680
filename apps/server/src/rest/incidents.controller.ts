import { Controller, Get, Inject, Post } from '@nestjs/common';
import { incidentDetail, listedIncident, type ReadModels, type RunQueue, type StepOutcome, type StoredIncident } from '#libs/application';
import { IncidentCall, IncidentDetail, IncidentList } from '#libs/contracts';
import type { Cause, IncidentStatus } from '#libs/domain';
import type { Caller } from '../auth/caller.js';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromBody, FromPath, FromPlainQuery, TheCaller, TheNamespaces } from '../http/inputs.js';
import { notFound, Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Operate, Runs } from '../services.js';
import { OPERATE, READS, RUNS } from '../tokens.js';
import { visibleIncident } from './incident-sight.js';
import { IncidentsQuery } from './schemas.js';

const INCIDENT_PARAM = { id: 'Id of the incident.' } as const;

interface IncidentsFilter extends ListQuery {
  readonly queue?: string;
  readonly status?: IncidentStatus;
  readonly kind?: string;
  readonly cause?: Cause;
}

/** Those of the whole installation are not there for a token that is bound to namespaces. */
@Controller('v1/incidents')
export class IncidentsController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(OPERATE) private readonly operate: Operate,
    @Inject(RUNS) private readonly runs: Runs,
  ) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'incidents',
    summary: 'What somebody has to look at, or had to',
    description: 'Those of a queue, and runs with a queue among theirs that is meant; a run only where the token sees all of its queues. Also those of the whole installation, for a token of every namespace and where none is named.',
    query: IncidentsQuery,
    ok: { schema: IncidentList, description: 'A page of incidents, newest first.' },
  })
  async list(
    @FromPlainQuery() query: IncidentsFilter,
    @TheNamespaces() namespaces: Caller['namespaces'],
    @TheCaller() caller: Caller,
  ): Promise<IncidentList> {
    const { queue, status, kind, cause } = query;
    const filter = {
      namespaces,
      seenBy: caller.namespaces,
      ...(queue !== undefined && { queue }),
      ...(status !== undefined && { status }),
      ...(kind !== undefined && { kind }),
      ...(cause !== undefined && { cause }),
    };
    const found = await listed('incidents', query, (page) => this.reads.incidents.list(filter, page), (row) => row);
    const runs = await this.reads.incidents.runsOf(found.items.filter((row) => row.kind === 'saturation').map(({ id }) => id));
    return { items: found.items.map((row) => listedIncident(row, runs.get(row.id))), next: found.next };
  }

  @Get(':id')
  @Route({
    scope: 'read',
    tag: 'incidents',
    summary: 'One incident with all its steps',
    params: INCIDENT_PARAM,
    ok: { schema: IncidentDetail, description: 'The incident.' },
    problems: { 404: 'No such incident.' },
  })
  async one(@FromPath('id') id: string, @TheCaller() caller: Caller): Promise<IncidentDetail> {
    const incident = await visibleIncident(this.reads, this.runs.store, id, caller);
    return incidentDetail(incident, await this.queuesOf(incident));
  }

  @Post(':id/resolve')
  @Route({
    scope: 'operate',
    tag: 'incidents',
    summary: 'Says that an incident is over',
    description: 'A cause that still stands opens another one with its next evidence.',
    params: INCIDENT_PARAM,
    body: IncidentCall,
    ok: { schema: IncidentDetail, description: 'The incident as it stands now.' },
    problems: { 404: 'No such incident.', 409: 'It is resolved already; `status` says so.' },
  })
  async resolve(
    @FromPath('id') id: string,
    @FromBody() body: IncidentCall,
    @TheCaller() caller: Caller,
  ): Promise<IncidentDetail> {
    const reason = body.reason.trim();
    if (reason === '') throw new Problem(400, 'reason_required', 'say why: it is kept');
    await visibleIncident(this.reads, this.runs.store, id, caller);
    const resolved = answered(await this.operate.incidents.resolveById(id, { reason, by: caller.name }));
    return incidentDetail(resolved, await this.queuesOf(resolved));
  }

  private async queuesOf({ id, kind }: StoredIncident): Promise<readonly RunQueue[]> {
    return kind === 'saturation' ? await this.runs.store.queues(id) : [];
  }
}

function answered(outcome: StepOutcome): StoredIncident {
  if (outcome.kind === 'done') return outcome.incident;
  if (outcome.incident === null) throw unknown();
  const { status: state, resolvedAt } = incidentDetail(outcome.incident);
  throw new Problem(409, 'incident_resolved', `The incident is ${state} already.`, { members: { state, resolvedAt } });
}

function unknown(): Problem {
  return notFound('incident_unknown', 'There is no such incident.');
}
