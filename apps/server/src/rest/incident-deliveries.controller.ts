import { Controller, Get, Inject } from '@nestjs/common';
import type { ReadModels } from '#libs/application';
import { IncidentDeliveryList } from '#libs/contracts';
import type { Caller } from '../auth/caller.js';
import { FromPath, TheCaller } from '../http/inputs.js';
import { Route } from '../http/route.js';
import type { Runs, Services } from '../services.js';
import { INCIDENT_DELIVERIES, READS, RUNS } from '../tokens.js';
import { visibleIncident } from './incident-sight.js';

/** Whether those who should know of an incident do. */
@Controller('v1/incidents')
export class IncidentDeliveriesController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(RUNS) private readonly runs: Runs,
    @Inject(INCIDENT_DELIVERIES) private readonly deliveries: Services['incidentDeliveries'],
  ) {}

  @Get(':id/deliveries')
  @Route({
    scope: 'read',
    tag: 'incidents',
    summary: 'Whether an incident’s steps have arrived at the webhooks',
    description: 'At those of the policy in force that are told of them. Addresses are shown by their host alone.',
    params: { id: 'Id of the incident.' },
    ok: { schema: IncidentDeliveryList, description: 'All of them, by step; there is one page.' },
    problems: { 404: 'No such incident.' },
  })
  async list(@FromPath('id') id: string, @TheCaller() caller: Caller): Promise<IncidentDeliveryList> {
    const incident = await visibleIncident(this.reads, this.runs.store, id, caller);
    return { items: [...(await this.deliveries.of(incident))], next: null };
  }
}
