import { Controller, Get, Inject, Put } from '@nestjs/common';
import { stuckAfterView, type ReadModels } from '#libs/application';
import { LevelsCall, QueueView } from '#libs/contracts';
import type { Caller } from '../auth/caller.js';
import { FromBody, TheCaller, TheQueue, type QueueRef } from '../http/inputs.js';
import { Problem, queueUnknown } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Operate, Policies, Revisions } from '../services.js';
import { OPERATE, POLICIES, READS, REVISIONS } from '../tokens.js';
import { QUEUE_PARAMS, QUEUE_PATHS } from './queue-path.js';
import { levelsView, queueViewOf } from './queue-views.js';
import { LevelsView, OneQueueQuery } from './schemas.js';

/** One queue, and what Jobwarden may do in it. */
@Controller(QUEUE_PATHS)
export class QueueController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(POLICIES) private readonly policies: Policies,
    @Inject(OPERATE) private readonly operate: Operate,
    @Inject(REVISIONS) private readonly revisions: Revisions,
  ) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'queues',
    summary: 'One queue',
    params: QUEUE_PARAMS,
    query: OneQueueQuery,
    ok: { schema: QueueView, description: 'The queue.' },
    problems: { 404: 'No event has named this queue.' },
  })
  async one(@TheQueue() ref: QueueRef): Promise<QueueView> {
    const row = await this.reads.queues.one(ref.namespace, ref.queue);
    if (row === null) throw queueUnknown(ref.queue);
    const { source, kinds } = this.policies;
    const view = queueViewOf(row, this.policies, this.revisions);
    const ofKinds = kinds(ref).map((kind) => [kind, stuckAfterView(source.policyFor(ref, kind))] as const);
    return ofKinds.length === 0 ? view : { ...view, kinds: Object.fromEntries(ofKinds) };
  }

  @Get('levels')
  @Route({
    scope: 'read',
    tag: 'queues',
    summary: 'Levels of a queue, and what operators set over the file’s',
    params: QUEUE_PARAMS,
    query: OneQueueQuery,
    ok: { schema: LevelsView, description: 'The levels.' },
  })
  levels(@TheQueue() ref: QueueRef): Record<string, unknown> {
    return levelsView(ref, this.policies);
  }

  @Put('levels')
  @Route({
    scope: 'operate',
    tag: 'queues',
    summary: 'Sets the level of one action of a queue',
    description: 'Wins until the policy file’s value changes. `act` reaches only verdicts made after it.',
    params: QUEUE_PARAMS,
    query: OneQueueQuery,
    body: LevelsCall,
    ok: { schema: LevelsView, description: 'The levels in force now.' },
    problems: { 409: '`act` needs claims or an idempotent queue.' },
  })
  async setLevel(
    @TheQueue() ref: QueueRef,
    @FromBody() body: LevelsCall,
    @TheCaller() caller: Caller,
  ): Promise<Record<string, unknown>> {
    const { action, level, reason } = body;
    const outcome = await this.operate.levels.set(ref, { action, level, reason, by: caller.name });
    if (outcome.kind === 'refused') {
      throw new Problem(outcome.code === 'act_needs_safety' ? 409 : 400, outcome.code, outcome.detail);
    }
    if (level !== 'observe') await this.operate.wrongActs.levelSet(ref, action, { reason, by: caller.name });
    return levelsView(ref, this.policies);
  }
}
