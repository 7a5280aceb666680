import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { canaryGateView, RetryableError, type FlaggerAnswer as Answered, type FlaggerHook } from '#libs/application';
import { FlaggerAnswer, FlaggerCall } from '#libs/contracts';
import type { Caller } from '../auth/caller.js';
import { FromBody, FromPlainQuery, TheCaller } from '../http/inputs.js';
import { Route, type RouteSpec } from '../http/route.js';
import type { CanaryGateCalls } from '../services.js';
import { CANARY_GATE } from '../tokens.js';
import { gateRequest, type AskedGate } from './gate-request.js';
import { FlaggerQuery } from './schemas.js';

function hookRoute(summary: string, description: string, yes: string, no: string): RouteSpec {
  return {
    ...{ scope: 'read', tag: 'gates', summary, description, query: FlaggerQuery, body: FlaggerCall },
    ok: { schema: FlaggerAnswer, description: yes },
    answers: { 403: { schema: FlaggerAnswer, description: no } },
    problems: { 400: 'The address and the metadata name no scope, or something that is not known.' },
  };
}

/** What webhooks of Flagger ask: it looks at the status alone, and takes anything up to 202 for a yes. */
@Controller('v1/gates/canary/flagger')
export class FlaggerController {
  constructor(@Inject(CANARY_GATE) private readonly calls: CanaryGateCalls) {}

  @Post('confirm-rollout')
  @Route(hookRoute('Flagger: may the rollout begin', 'Marks the beginning of a rollout.', 'It may.', 'It waits: a postmortem is open, or the revision is known to be unhealthy.'))
  async confirmRollout(@FromBody() body: FlaggerCall, @FromPlainQuery() query: AskedGate, @TheCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.answer('confirm-rollout', { body, query, caller, reply });
  }

  @Post('confirm-promotion')
  @Route(hookRoute('Flagger: may the canary be promoted', 'Asked again and again until it may.', 'It is healthy.', 'It waits.'))
  async confirmPromotion(@FromBody() body: FlaggerCall, @FromPlainQuery() query: AskedGate, @TheCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.answer('confirm-promotion', { body, query, caller, reply });
  }

  @Post('rollback')
  @Route(hookRoute('Flagger: is the canary to be rolled back', 'In every phase, as soon as there is evidence.', 'It is unhealthy: roll back.', 'Nothing says so.'))
  async rollback(@FromBody() body: FlaggerCall, @FromPlainQuery() query: AskedGate, @TheCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.answer('rollback', { body, query, caller, reply });
  }

  private async answer(hook: FlaggerHook, { body, query, caller, reply }: Asked): Promise<void> {
    const { name, namespace, phase = '', checksum = '', metadata = {} } = body;
    const asked = gateRequest({ ...query, ...metadata }, caller);
    const answer = await this.calls.flagger.answer({ hook, name, namespace, phase, checksum, ...asked }).catch((error: unknown) => {
      // Neither a yes nor, for a client that repeats what has failed, a reason to ask at once again.
      if (error instanceof RetryableError) return null;
      throw error;
    });
    await reply.status(answer?.yes === true ? 200 : 403).header('cache-control', 'no-store').type('application/json; charset=utf-8').send(told(hook, answer));
  }
}

interface Asked {
  readonly body: FlaggerCall;
  readonly query: AskedGate;
  readonly caller: Caller;
  readonly reply: FastifyReply;
}

function told(hook: FlaggerHook, answer: Answered | null): FlaggerAnswer {
  if (answer === null) return { yes: false, says: 'The gate could not be asked: its database is away.', gate: null };
  const { yes, gate } = answer;
  const closed = gate.closed.map(({ code, incidentIds }) => incidentIds.length === 0 ? code : `${code} (incidents ${incidentIds.join(', ')})`);
  return { yes, says: `${hook}: ${yes ? 'yes' : 'no'}. The canary is ${gate.verdict}: ${[...closed, ...gate.reasons].join(', ')}.`, gate: canaryGateView(gate) };
}
