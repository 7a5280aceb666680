import { Controller, Get, Inject, Put } from '@nestjs/common';
import { iso } from '#libs/application';
import { ActionsCall, ActionsView, ClockCall, ClockView, PolicyList } from '#libs/contracts';
import type { Caller } from '../auth/caller.js';
import { FromBody, FromPlainQuery, TheCaller, TheNamespaces } from '../http/inputs.js';
import { instantMs } from '../http/instant.js';
import { Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Operate, Policies } from '../services.js';
import { OPERATE, POLICIES } from '../tokens.js';
import { actionsView } from './actions-view.js';
import { policyViews } from './policy-views.js';
import { PoliciesQuery } from './schemas.js';

/** The stop switch, the controlled clock and the policies: what holds for all queues. */
@Controller('v1')
export class InstallationController {
  constructor(
    @Inject(OPERATE) private readonly operate: Operate,
    @Inject(POLICIES) private readonly policies: Policies,
  ) {}

  @Get('actions')
  @Route({
    scope: 'read',
    tag: 'installation',
    summary: 'The stop switch as it stands',
    ok: { schema: ActionsView, description: 'The switch.' },
  })
  async actions(): Promise<ActionsView> {
    return actionsView(await this.operate.actions.read());
  }

  @Put('actions')
  @Route({
    scope: 'admin',
    everywhere: true,
    tag: 'installation',
    summary: 'The stop switch of all replicas',
    description: 'Off: nothing is decided but by hand, and nothing goes out but incidents. It survives restarts.',
    body: ActionsCall,
    ok: { schema: ActionsView, description: 'The switch as it stands now.' },
  })
  async setActions(@FromBody() body: ActionsCall, @TheCaller() caller: Caller): Promise<ActionsView> {
    const { enabled, reason } = body;
    const outcome = await this.operate.actions.set({ enabled, reason, by: caller.name });
    if (outcome.kind === 'refused') throw new Problem(400, outcome.code, outcome.detail);
    return actionsView(outcome.actions);
  }

  @Put('clock')
  @Route({
    scope: 'admin',
    everywhere: true,
    tag: 'installation',
    summary: 'Sets the lane time of a database made with a manual clock',
    description:
      'Anywhere else it is refused. Never backwards. With `untilDue` it stops at the next decision that falls due on the way.',
    body: ClockCall,
    ok: { schema: ClockView, description: 'The lane time now.' },
    problems: {
      409: 'The database has its own clock, or is ahead of that instant; or, with Retry-After, `lanes_behind`: not everything has been read that lies in the partitions. Ask again.',
    },
  })
  async setClock(@FromBody() body: ClockCall): Promise<ClockView> {
    const outcome = await this.operate.clock.set(instantMs(body.now), { untilDue: body.untilDue === true });
    if (outcome.kind === 'set') return { now: iso(outcome.nowMs) };
    const { code, detail, nowMs } = outcome;
    throw new Problem(code === 'clock_absurd' ? 400 : 409, code, detail, {
      members: { now: iso(nowMs) },
      ...(code === 'lanes_behind' && { headers: { 'retry-after': '1' } }),
    });
  }

  @Get('policies')
  @Route({
    scope: 'read',
    tag: 'installation',
    summary: 'Policies in force, with where each value was written',
    query: PoliciesQuery,
    ok: { schema: PolicyList, description: 'All of them; there is one page.' },
  })
  list(
    @FromPlainQuery() query: { readonly queue?: string },
    @TheNamespaces() namespaces: Caller['namespaces'],
  ): PolicyList {
    return { items: policyViews(this.policies, { namespaces, queue: query.queue ?? null }), next: null };
  }
}
