import { Controller, Get, Inject, Post } from '@nestjs/common';
import { redriveView, type ReadModels, type RedriveRun } from '#libs/application';
import { RedriveAnswer, RedriveCall, RedriveRunList, RedriveRunView } from '#libs/contracts';
import { maySee, type Caller } from '../auth/caller.js';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromBody, FromPath, FromQuery, TheCaller } from '../http/inputs.js';
import { notFound, Problem, queueUnknown } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Operate } from '../services.js';
import { OPERATE, READS } from '../tokens.js';
import { NamespaceQuery, QueuePageQuery } from './schemas.js';

const RUN_PARAM = { id: 'Id of the run.' } as const;
const PER_SECOND = 50;

/** Many dead letters sent round again, at a rate. */
@Controller('v1/dead-letters/redrives')
export class RedrivesController {
  constructor(
    @Inject(OPERATE) private readonly operate: Operate,
    @Inject(READS) private readonly reads: ReadModels,
  ) {}

  @Post()
  @Route({
    scope: 'operate',
    tag: 'dead letters',
    summary: 'Sends many dead letters of a queue round again, at a rate',
    description:
      'Without `count` they are only counted. With it they are redriven, so many a second, each as by hand: with its history, a higher token, and `maxRedrives` as its bound. It goes on over restarts.',
    query: NamespaceQuery,
    body: RedriveCall,
    ok: { schema: RedriveAnswer, description: 'How many are meant, and the run that was started.' },
    problems: { 404: '`queue_unknown`: no event has named it.', 409: '`count_differs`: the filter finds `found` by now, and nothing was done.' },
  })
  async start(@FromQuery() { namespace }: { readonly namespace: string }, @FromBody() body: RedriveCall, @TheCaller() caller: Caller): Promise<RedriveAnswer> {
    const { queue, pattern, kind, diedOf, count, perSecond = PER_SECOND, force = false } = body;
    const reason = body.reason?.trim() ?? '';
    const filter = {
      ...{ namespace, queue },
      ...(pattern !== undefined && { patternId: pattern }),
      ...(kind !== undefined && { kind }),
      ...(diedOf !== undefined && { diedOf }),
    };
    const answer = await this.operate.redrives.call({ filter, count: count ?? null, perSecond, force, by: caller.name, reason });
    if ('found' in answer && answer.found === 0 && (await this.reads.queues.one(namespace, queue)) === null) throw queueUnknown(queue);
    switch (answer.kind) {
      case 'refused':
        throw new Problem(400, answer.code, answer.detail);
      case 'counted':
        return { found: answer.found, run: null, outlook: await this.operate.redriveOutlook.look(filter, force) };
      case 'started':
        return { found: answer.run.wanted, run: redriveView(answer.run) };
      case 'differs':
        throw new Problem(409, 'count_differs', `The filter finds ${String(answer.found)} by now, and nothing was done: look again, and send that as count.`, {
          members: { found: answer.found },
        });
    }
  }

  @Get()
  @Route({
    scope: 'read',
    tag: 'dead letters',
    summary: 'Runs of redrives, with how far they are',
    query: QueuePageQuery,
    ok: { schema: RedriveRunList, description: 'A page of runs, newest first.' },
  })
  async list(@FromQuery() query: ListQuery & { readonly namespace: string; readonly queue?: string }): Promise<RedriveRunList> {
    const { namespace, queue } = query;
    const scope = { namespace, ...(queue !== undefined && { queue }) };
    return await listed('redrives', query, (page) => this.operate.redriveStore.list(scope, page), redriveView);
  }

  @Get(':id')
  @Route({
    scope: 'read',
    tag: 'dead letters',
    summary: 'One run of redrives',
    params: RUN_PARAM,
    ok: { schema: RedriveRunView, description: 'The run.' },
    problems: { 404: 'No such run.' },
  })
  async one(@FromPath('id') id: string, @TheCaller() caller: Caller): Promise<RedriveRunView> {
    return redriveView(await this.seen(id, caller));
  }

  @Post(':id/stop')
  @Route({
    scope: 'operate',
    tag: 'dead letters',
    summary: 'Stops a run of redrives; what is on its way stays',
    params: RUN_PARAM,
    ok: { schema: RedriveRunView, description: 'The run as it stands now.' },
    problems: { 404: 'No such run.', 409: '`redrive_over`: it is over already.' },
  })
  async stop(@FromPath('id') id: string, @TheCaller() caller: Caller): Promise<RedriveRunView> {
    const run = await this.seen(id, caller);
    const stopped = await this.operate.redriveStore.stop(id, caller.name);
    if (stopped === null) throw new Problem(409, 'redrive_over', `The run is ${run.status} already.`, { members: { run: redriveView(run) } });
    return redriveView(stopped);
  }

  private async seen(id: string, caller: Caller): Promise<RedriveRun> {
    const run = await this.operate.redriveStore.one(id);
    if (run !== null && maySee(caller, run.filter.namespace)) return run;
    throw notFound('redrive_unknown', 'There is no such run of redrives.');
  }
}
