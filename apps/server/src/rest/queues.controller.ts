import { Controller, Get, Inject, Put } from '@nestjs/common';
import { iso, queueView, stuckAfterView, type QueueRow, type ReadModels } from '#libs/application';
import { LevelsCall, QueueList, QueueView } from '#libs/contracts';
import type { Caller } from '../auth/caller.js';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromBody, FromQuery, TheCaller, TheQueue, type QueueRef } from '../http/inputs.js';
import { Problem, queueUnknown } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Operate, Policies, Revisions } from '../services.js';
import { OPERATE, POLICIES, READS, REVISIONS } from '../tokens.js';
import { LevelsView, NamespaceQuery, PageQuery } from './schemas.js';

const QUEUE_PARAM = { queue: 'Name of the queue.' } as const;

@Controller('v1/queues')
export class QueuesController {
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
    summary: 'Queues: depth, running, stuck, failure ratio, run times, oldest age, levels',
    query: PageQuery,
    ok: { schema: QueueList, description: 'A page of queues, by name.' },
  })
  async list(@FromQuery() query: ListQuery & { readonly namespace: string }): Promise<QueueList> {
    const { namespace } = query;
    return await listed(
      'queues',
      query,
      (page) => this.reads.queues.list(namespace, page),
      (row) => this.view(row),
    );
  }

  @Get(':queue')
  @Route({
    scope: 'read',
    tag: 'queues',
    summary: 'One queue',
    params: QUEUE_PARAM,
    query: NamespaceQuery,
    ok: { schema: QueueView, description: 'The queue.' },
    problems: { 404: 'No event has named this queue.' },
  })
  async one(@TheQueue() ref: QueueRef): Promise<QueueView> {
    const row = await this.reads.queues.one(ref.namespace, ref.queue);
    if (row === null) throw queueUnknown(ref.queue);
    const { source, kinds } = this.policies;
    const view = this.view(row);
    const ofKinds = kinds(ref).map((kind) => [kind, stuckAfterView(source.policyFor(ref, kind))] as const);
    return ofKinds.length === 0 ? view : { ...view, kinds: Object.fromEntries(ofKinds) };
  }

  @Get(':queue/levels')
  @Route({
    scope: 'read',
    tag: 'queues',
    summary: 'Levels of a queue, and what operators set over the file’s',
    params: QUEUE_PARAM,
    query: NamespaceQuery,
    ok: { schema: LevelsView, description: 'The levels.' },
  })
  levels(@TheQueue() ref: QueueRef): Record<string, unknown> {
    return this.levelsView(ref);
  }

  @Put(':queue/levels')
  @Route({
    scope: 'operate',
    tag: 'queues',
    summary: 'Sets the level of one action of a queue',
    description: 'Wins until the policy file’s value changes. `act` reaches only verdicts made after it.',
    params: QUEUE_PARAM,
    query: NamespaceQuery,
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
    return this.levelsView(ref);
  }

  private view(row: QueueRow): QueueView {
    const { source, gate, overrides } = this.policies;
    const view = queueView(row, source.policyFor(row, null), gate(row), overrides(row));
    const refusedRevisions = [...this.revisions.quarantine.refusedOf(row)];
    return refusedRevisions.length === 0 ? view : { ...view, refusedRevisions };
  }

  private levelsOf(ref: QueueRef) {
    return this.policies.source.policyFor(ref, null).levels;
  }

  private levelsView({ namespace, queue }: QueueRef): Record<string, unknown> {
    const ref = { namespace, queue };
    const fileLevels = this.policies.source.policyFor(ref, null).policy.levels;
    const overrides = this.policies.overrides(ref).map(({ action, level, fileLevel, reason, by, setMs }) => ({
      action,
      level,
      fileLevel,
      inForce: fileLevel === fileLevels[action],
      reason,
      by,
      at: iso(setMs),
    }));
    return { ...ref, levels: this.levelsOf(ref), overrides };
  }
}
