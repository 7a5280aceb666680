import { Controller, Get, Inject, Post } from '@nestjs/common';
import { iso, runView, type ReadModels, type RunRow } from '#libs/application';
import { ReconcileCall, ReconciliationRun } from '#libs/contracts';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromOptionalBody, FromPath, FromQuery } from '../http/inputs.js';
import { notFound } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { Reconciling } from '../services.js';
import { READS, RECONCILING } from '../tokens.js';
import { NamespaceQuery, RunList, RunsQuery } from './schemas.js';

interface RunsFilter extends ListQuery {
  readonly namespace: string;
  readonly queue?: string;
  readonly verdict?: string;
}

@Controller('v1')
export class ReconciliationsController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(RECONCILING) private readonly reconciling: Reconciling,
  ) {}

  @Get('reconciliations')
  @Route({
    scope: 'read',
    tag: 'reconciliations',
    summary: 'Runs of the reconciler with their rows, and what falls due next',
    query: RunsQuery,
    ok: { schema: RunList, description: 'A page of runs, newest first.' },
  })
  async list(@FromQuery() query: RunsFilter): Promise<Record<string, unknown>> {
    const { reconciliations } = this.reads;
    const filter = filterOf(query);
    const [page, nextDue, unresolved] = await Promise.all([
      listed(
        'reconciliations',
        query,
        (p) => reconciliations.list(filter, p),
        (row) => runView(row, filter),
      ),
      this.reconciling.due.nextDue(),
      reconciliations.unresolved(query.namespace),
    ]);
    return {
      ...page,
      nextDue: nextDue.map(({ waitsFor, lookAtMs, jobs }) => ({ waitsFor, at: iso(lookAtMs), jobs })),
      unresolved: unresolved.count,
      oldestUnresolvedMs: unresolved.oldestMs,
    };
  }

  @Get('reconciliations/:id')
  @Route({
    scope: 'read',
    tag: 'reconciliations',
    summary: 'One run',
    params: { id: 'Id of the run.' },
    query: NamespaceQuery,
    ok: { schema: ReconciliationRun, description: 'The run.' },
    problems: { 404: 'No such run; those without a row are not kept.' },
  })
  async one(@FromPath('id') id: string, @FromQuery() query: RunsFilter): Promise<ReconciliationRun> {
    const row = await this.reads.reconciliations.one(id);
    if (row === null) throw notFound('run_unknown', 'There is no such run; runs that found nothing are not kept.');
    return runView(row, filterOf(query));
  }

  @Post('reconciliations')
  @Route({
    scope: 'operate',
    tag: 'reconciliations',
    summary: 'Runs the reconciler now, dry or not',
    query: NamespaceQuery,
    body: ReconcileCall,
    ok: { schema: ReconciliationRun, description: 'What it found and did; of a dry run, what it would have done.' },
  })
  async run(
    @FromOptionalBody() body: ReconcileCall,
    @FromQuery() query: RunsFilter,
  ): Promise<ReconciliationRun> {
    const { namespace } = query;
    const begun = performance.now();
    const result = await this.reconciling.reconciler.runOnce({
      requested: true,
      ...(body.dryRun !== undefined && { dryRun: body.dryRun }),
      ...(body.queue !== undefined && { queue: { namespace, queue: body.queue } }),
    });
    // By the lanes' clock, as all else in it: this process's may be wrong.
    const row: RunRow = { ...result, id: result.id === null ? 'dry-run' : String(result.id) };
    const finishedAt = iso(result.laneMs + Math.round(performance.now() - begun));
    return { ...runView(row, { namespace }), finishedAt, more: result.more };
  }
}

function filterOf({ namespace, queue, verdict }: RunsFilter) {
  return { namespace, ...(queue !== undefined && { queue }), ...(verdict !== undefined && { verdict }) };
}
