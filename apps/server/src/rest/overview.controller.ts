import { Controller, Get, Inject } from '@nestjs/common';
import { gateToldView, laneView, listedIncident, overviewQueues, sampleTimes, type ReadModels } from '#libs/application';
import { Overview } from '#libs/contracts';
import { seesInstallation, type Caller } from '../auth/caller.js';
import { TheCaller, TheNamespaces } from '../http/inputs.js';
import { Route } from '../http/route.js';
import type { HttpLane, Operate, OverviewParts, Policies, Revisions } from '../services.js';
import { CLOCK, OPERATE, OVERVIEW, POLICIES, READS, REVISIONS } from '../tokens.js';
import { actionsView } from './actions-view.js';
import { OptionalNamespaceQuery } from './schemas.js';

const MOST_QUEUES = 2_000;
const MOST_INCIDENTS = 1_000;
const SHOWN_INCIDENTS = 20;
const SHOWN_GATES = 20;

@Controller('v1/overview')
export class OverviewController {
  constructor(
    @Inject(OVERVIEW) private readonly parts: OverviewParts,
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(POLICIES) private readonly policies: Policies,
    @Inject(REVISIONS) private readonly revisions: Revisions,
    @Inject(CLOCK) private readonly clock: HttpLane,
    @Inject(OPERATE) private readonly operate: Operate,
  ) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'queues',
    summary: 'Everything at a glance: queues with their last hour, open incidents, lanes',
    description: `From maintained counters and samples: what it costs does not depend on how many jobs there are. At most ${MOST_QUEUES.toLocaleString('en')} queues.`,
    query: OptionalNamespaceQuery,
    ok: { schema: Overview, description: 'The overview.' },
  })
  async overview(@TheNamespaces() namespaces: Caller['namespaces'], @TheCaller() caller: Caller): Promise<Overview> {
    const seenBy = caller.namespaces;
    const [rows, incidents, reading, lanes, actions] = await Promise.all([
      this.parts.reads.queues(namespaces, MOST_QUEUES),
      this.reads.incidents.list({ namespaces, seenBy, status: 'open' }, { limit: MOST_INCIDENTS, after: null }),
      this.clock.read(),
      this.reads.workers.lanes(),
      this.operate.actions.read(),
    ]);
    const shown = incidents.items.slice(0, SHOWN_INCIDENTS);
    const runs = await this.reads.incidents.runsOf(shown.filter(({ kind }) => kind === 'saturation').map(({ id }) => id));
    const { source, gate } = this.policies;
    return {
      at: new Date(rows.nowMs).toISOString(),
      samples: sampleTimes(rows),
      queues: overviewQueues(rows, {
        policies: source,
        gate,
        refused: (queue) => this.revisions.quarantine.refusedOf(queue),
        baselines: this.parts.baselines(),
      }),
      more: rows.more,
      incidents: shown.map((row) => listedIncident(row, runs.get(row.id))),
      openIncidents: incidents.items.length,
      gates: this.gatesOf(seenBy, namespaces),
      lanes: lanes.map((row) => laneView(row, reading, seesInstallation(caller) ? this.clock.inFlightCount : 0)),
      actions: actionsView(actions),
    };
  }

  /** Those of targets whatever namespace was asked for: they have none. */
  private gatesOf(seenBy: Caller['namespaces'], wanted: Caller['namespaces']): Overview['gates'] {
    const told = this.parts.gates.of(seenBy).filter(({ answer: { scope: { queue } } }) => queue === null || wanted === 'all' || wanted.includes(queue.namespace));
    return told.slice(0, SHOWN_GATES).map(gateToldView);
  }
}
