import { Controller, Get, Inject, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { canaryGateView, gateOverrideView, type GateAnswer, type OverrideOutcome } from '#libs/application';
import { CanaryGateView, GateOverrideCall, GateOverrideList, GateOverrideView } from '#libs/contracts';
import { needsEverywhere, type Caller } from '../auth/caller.js';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromBody, FromPlainQuery, TheCaller, TheNamespaces } from '../http/inputs.js';
import { instantMs } from '../http/instant.js';
import { Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { CanaryGateCalls } from '../services.js';
import { CANARY_GATE } from '../tokens.js';
import { gateRequest, gateScope, type AskedGate } from './gate-request.js';
import { CanaryGateQuery, GateOverridesQuery } from './schemas.js';

const TELLS = 'The answer has the same form, whatever its status.';

/** Whether a canary is as good as stable. */
@Controller('v1/gates')
export class CanaryGateController {
  constructor(@Inject(CANARY_GATE) private readonly calls: CanaryGateCalls) {}

  @Get('canary')
  @Route({
    scope: 'read',
    tag: 'gates',
    summary: 'Whether a canary may go on',
    description: `Canary against stable over the same time, each kind of work compared with itself. May be asked as often as you like. ${TELLS}`,
    query: CanaryGateQuery,
    ok: { schema: CanaryGateView, description: '`healthy`, and nothing keeps the gate closed. With `form=argo`: any answer.' },
    answers: {
      409: { schema: CanaryGateView, description: '`unhealthy`.' },
      423: { schema: CanaryGateView, description: '`healthy` or `inconclusive`, and the gate is closed: `postmortem_open`.' },
      424: { schema: CanaryGateView, description: '`error`: there is nothing to judge, such as an unknown revision or no stable.' },
      425: { schema: CanaryGateView, description: '`inconclusive`: ask again later.' },
      503: { schema: CanaryGateView, description: '`error`: without its database.' },
    },
    problems: { 400: '`scope_required`: neither a target nor a queue, or both. `canary_ambiguous`: a track and a revision.' },
  })
  async look(
    @FromPlainQuery() query: AskedGate & { readonly since?: string; readonly form?: 'plain' | 'argo' },
    @TheCaller() caller: Caller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const answer = await this.calls.gate.look({ ...gateRequest(query, caller), sinceMs: query.since === undefined ? null : instantMs(query.since) });
    const status = query.form === 'argo' ? 200 : statusOf(answer);
    await reply.status(status).header('cache-control', 'no-store').type('application/json; charset=utf-8').send(canaryGateView(answer));
  }

  @Get('canary/overrides')
  @Route({
    scope: 'read',
    tag: 'gates',
    summary: 'Who has opened which gate by hand, when and why',
    description: 'Kept for 90 days after it has run out. Those of targets are shown to tokens of every namespace.',
    query: GateOverridesQuery,
    ok: { schema: GateOverrideList, description: 'A page of decisions, newest first.' },
  })
  async overrides(@FromPlainQuery() query: ListQuery, @TheNamespaces() namespaces: Caller['namespaces']): Promise<GateOverrideList> {
    const nowMs = await this.calls.nowMs();
    return await listed('gate-overrides', query, (page) => this.calls.store.overrides(namespaces, page), (one) => gateOverrideView(one, nowMs));
  }

  @Post('canary/override')
  @Route({
    scope: 'operate',
    tag: 'gates',
    summary: 'Opens a gate by hand although a postmortem is open',
    description: 'A canary that is unhealthy stays unhealthy. Runs out by itself. Not idempotent: each call is a decision of its own.',
    body: GateOverrideCall,
    ok: { status: 201, schema: GateOverrideView, description: 'It stands.' },
    problems: {
      400: '`scope_required`; `until_past`; `until_too_far`: more than seven days away.',
      403: '`namespace_bound`: a target is of the whole installation.',
      404: '`queue_unknown`; `target_unknown`: no policy of a queue that an event has named names it.',
    },
  })
  async override(@FromBody() { reason, until, ...asked }: GateOverrideCall, @TheCaller() caller: Caller): Promise<GateOverrideView> {
    const scope = gateScope(asked, caller);
    if (scope.target !== null) needsEverywhere(caller);
    return allowed(await this.calls.override.allow({ scope, reason, by: caller.name, untilMs: instantMs(until) }));
  }
}

/** Own codes for what is no yes: whoever looks at the status alone must not take "not yet" for "go on". */
function statusOf({ verdict, pass, closed, reasons }: GateAnswer): number {
  if (pass) return 200;
  if (verdict === 'unhealthy') return 409;
  if (verdict === 'error') return reasons.includes('database_unavailable') ? 503 : 424;
  return closed.length > 0 ? 423 : 425;
}

const REFUSALS = {
  until_past: [400, 'until_past', 'That time has passed.'],
  until_too_far: [400, 'until_too_far', 'An override holds for seven days at most.'],
  queue_unknown: [404, 'queue_unknown', 'No event has named that queue.'],
  target_unknown: [404, 'target_unknown', 'No queue that an event has named has that target in its policy.'],
} as const;

function allowed(outcome: OverrideOutcome): GateOverrideView {
  if (outcome.kind === 'done') return gateOverrideView(outcome.override, outcome.override.setMs);
  const [status, code, detail] = REFUSALS[outcome.code];
  throw new Problem(status, code, detail);
}
