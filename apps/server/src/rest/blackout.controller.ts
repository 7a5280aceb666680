import { Controller, Inject, Post } from '@nestjs/common';
import { BlackoutReleased, QueueCall } from '#libs/contracts';
import type { Caller } from '../auth/caller.js';
import { FromBody, TheCaller, TheQueue, type QueueRef } from '../http/inputs.js';
import { Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Operate } from '../services.js';
import { OPERATE } from '../tokens.js';
import { QUEUE_PARAMS, QUEUE_PATHS } from './queue-path.js';
import { OneQueueQuery } from './schemas.js';

@Controller(QUEUE_PATHS)
export class BlackoutController {
  constructor(@Inject(OPERATE) private readonly operate: Operate) {}

  @Post('blackout/release')
  @Route({
    scope: 'operate',
    tag: 'queues',
    summary: 'Lets the recovery of a queue go on that a blackout holds',
    description:
      'Says that the silent workers are gone. Their jobs are recovered at the budget’s rate, and they count for no other ' +
      'blackout. The incident is resolved with the same reason.',
    params: QUEUE_PARAMS,
    query: OneQueueQuery,
    body: QueueCall,
    ok: { schema: BlackoutReleased, description: 'Recovery goes on.' },
    problems: { 409: 'No blackout holds this queue.' },
  })
  async release(@TheQueue() ref: QueueRef, @FromBody() body: QueueCall, @TheCaller() caller: Caller): Promise<BlackoutReleased> {
    const reason = body.reason.trim();
    if (reason === '') throw new Problem(400, 'reason_required', 'say why: it is kept');
    const { namespace, queue } = ref;
    const released = await this.operate.blackouts.release({ namespace, queue }, { by: caller.name, reason });
    if (!released) throw new Problem(409, 'no_blackout', `No blackout holds the recovery of ${JSON.stringify(queue)}.`);
    return { namespace, queue, reason, by: caller.name };
  }
}
