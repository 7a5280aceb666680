import { Controller, Get, Inject, Post } from '@nestjs/common';
import type { Logger } from 'pino';
import { laneView, type LaneCalls, type LaneOutcome, type LaneRefusal, type ReadModels } from '#libs/application';
import { LaneList, LaneRetireCall, LaneSeekCall, LaneView } from '#libs/contracts';
import type { Caller } from '../auth/caller.js';
import { FromBody, TheCaller } from '../http/inputs.js';
import { Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { HttpLane, Operate } from '../services.js';
import { CLOCK, LANE_CALLS, LOG, OPERATE, READS } from '../tokens.js';
import { NamespaceQuery } from './schemas.js';

const STATUS: Readonly<Record<LaneRefusal, number>> = {
  lane_unknown: 404,
  lane_without_positions: 409,
  lane_retired: 409,
  lane_is_read: 409,
  no_broker: 409,
  broker_unavailable: 503,
  partition_unknown: 409,
  offset_out_of_range: 400,
};

interface Asked {
  readonly reason: string;
  readonly by: string;
}

/** Ways that events come in. They belong to the installation, so its callers need a token for all namespaces to change one. */
@Controller('v1/lanes')
export class LanesController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(CLOCK) private readonly clock: HttpLane,
    @Inject(LANE_CALLS) private readonly calls: LaneCalls,
    @Inject(OPERATE) private readonly operate: Operate,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'workers',
    summary: 'Ways that events come in, and how far each has been read',
    query: NamespaceQuery,
    ok: { schema: LaneList, description: 'All lanes; there is one page.' },
  })
  async lanes(): Promise<LaneList> {
    const [reading, rows] = await Promise.all([this.clock.read(), this.reads.workers.lanes()]);
    return { items: rows.map((row) => laneView(row, reading, this.clock.inFlightCount)), next: null };
  }

  @Post('seek')
  @Route({
    scope: 'operate',
    everywhere: true,
    tag: 'workers',
    summary: 'Says where a partition is read from, and lets a stopped one go on',
    description: 'What is passed over is never read: jobs whose end is among it come to a verdict.',
    body: LaneSeekCall,
    ok: { schema: LaneView, description: 'The lane as it stands now. It is read again within a few seconds.' },
    problems: {
      404: 'There is no such lane.',
      409: 'It has no positions, was retired, or there is no such partition; `code` says which.',
      503: 'The database or the broker cannot be reached.',
    },
  })
  async seek(@FromBody() body: LaneSeekCall, @TheCaller() caller: Caller): Promise<LaneView> {
    return await this.told('seek', await this.calls.seek(body.lane, body.to), { ...body, by: caller.name });
  }

  @Post('retire')
  @Route({
    scope: 'operate',
    everywhere: true,
    tag: 'workers',
    summary: 'Gives a partition up: it is not read, and no verdict waits for it',
    description: 'For a topic that is no more. A lane that is being read is only given up with `force`.',
    body: LaneRetireCall,
    ok: { schema: LaneView, description: 'The lane as it stands now.' },
    problems: { 404: 'There is no such lane.', 409: 'It has no positions, or is being read.' },
  })
  async retire(@FromBody() body: LaneRetireCall, @TheCaller() caller: Caller): Promise<LaneView> {
    const { lane, force = false } = body;
    return await this.told('retire', await this.calls.retire(lane, { force }), { ...body, by: caller.name });
  }

  @Post('unretire')
  @Route({
    scope: 'operate',
    everywhere: true,
    tag: 'workers',
    summary: 'Takes a partition up again that was given up, where it was left',
    body: LaneRetireCall,
    ok: { schema: LaneView, description: 'The lane as it stands now. Verdicts wait for it again.' },
    problems: { 404: 'There is no such lane.', 409: 'It has no positions.' },
  })
  async unretire(@FromBody() body: LaneRetireCall, @TheCaller() caller: Caller): Promise<LaneView> {
    return await this.told('unretire', await this.calls.unretire(body.lane), { ...body, by: caller.name });
  }

  /** Who passed over which records must be found later. */
  private async told(call: string, outcome: LaneOutcome, asked: Asked): Promise<LaneView> {
    if (outcome.kind === 'refused') throw new Problem(STATUS[outcome.code], outcome.code, outcome.detail);
    const { before, lane } = outcome;
    this.log.warn({ ...asked, call, from: before.next, next: lane.next, stopped: before.stopped }, 'a lane was changed by hand');
    await this.operate.laneIncidents.changed(lane, { reason: asked.reason, by: asked.by });
    return laneView(lane, await this.clock.read(), this.clock.inFlightCount);
  }
}
