import { Controller, Inject, Post } from '@nestjs/common';
import { gateView, type GateChange } from '#libs/application';
import { GateView, QueueCall, ThrottleCall } from '#libs/contracts';
import type { Caller } from '../auth/caller.js';
import { FromBody, TheCaller, TheQueue, type QueueRef } from '../http/inputs.js';
import { Problem } from '../http/problem.js';
import { Route, type RouteSpec } from '../http/route.js';
import type { Operate } from '../services.js';
import { OPERATE } from '../tokens.js';
import { QUEUE_PARAMS, QUEUE_PATHS } from './queue-path.js';
import { OneQueueQuery } from './schemas.js';

function call(summary: string, description: string, body: RouteSpec['body'] = QueueCall): RouteSpec {
  return {
    ...{ scope: 'operate', tag: 'queues', summary, description, body },
    params: QUEUE_PARAMS,
    query: OneQueueQuery,
    ok: { schema: GateView, description: 'What is let through now.' },
  };
}

/** What a person lets through of a queue. Other replicas follow within a second. */
@Controller(QUEUE_PATHS)
export class QueueGatesController {
  constructor(@Inject(OPERATE) private readonly operate: Operate) {}

  @Post('pause')
  @Route(
    call(
      'Pauses a queue',
      'No claim is granted, no job is put back, and nobody counts as starved. What runs goes on, under its lease.',
    ),
  )
  async pause(@TheQueue() ref: QueueRef, @FromBody() body: QueueCall, @TheCaller() caller: Caller): Promise<GateView> {
    return await this.set(ref, { gate: 'paused', perSecond: null }, body, caller);
  }

  @Post('throttle')
  @Route(call('Throttles a queue', 'Only so many claims a second are let through, of all workers together.', ThrottleCall))
  async throttle(@TheQueue() ref: QueueRef, @FromBody() body: ThrottleCall, @TheCaller() caller: Caller): Promise<GateView> {
    return await this.set(ref, { gate: 'throttled', perSecond: body.perSecond }, body, caller);
  }

  @Post('resume')
  @Route(call('Resumes a queue', 'Whoever waits for a start waits in full from now on.'))
  async resume(@TheQueue() ref: QueueRef, @FromBody() body: QueueCall, @TheCaller() caller: Caller): Promise<GateView> {
    return await this.set(ref, { gate: 'open', perSecond: null }, body, caller);
  }

  /** The rate is the throttle's alone: bodies may hold fields that their call does not know. */
  private async set(ref: QueueRef, to: Pick<GateChange, 'gate' | 'perSecond'>, { reason }: QueueCall, caller: Caller): Promise<GateView> {
    const outcome = await this.operate.gates.set({ ...ref, ...to, reason, by: caller.name });
    if (outcome.kind === 'refused') throw new Problem(400, outcome.code, outcome.detail);
    return gateView(outcome.gate);
  }
}
