import { Controller, Get, Inject, Post } from '@nestjs/common';
import { quarantineView, type QuarantineOutcome, type QuarantineRow, type ReadModels } from '#libs/application';
import { QuarantineCall, QuarantineEntry, QuarantineList } from '#libs/contracts';
import { maySee, type Caller } from '../auth/caller.js';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromBody, FromPath, FromPlainQuery, TheCaller, TheNamespaces } from '../http/inputs.js';
import { notFound, Problem } from '../http/problem.js';
import { Route, type RouteSpec } from '../http/route.js';
import type { Operate } from '../services.js';
import { OPERATE, READS } from '../tokens.js';
import { QuarantineAnswer, QuarantineQuery } from './schemas.js';

/** Of each entry a list shows so much; one by itself comes whole. */
const PREVIEW_BYTES = 2_048;

const ENTRY_PARAM = { id: 'Id of the entry.' } as const;

interface QuarantineFilter extends ListQuery {
  readonly queue?: string;
  readonly state?: string;
  readonly reason?: string;
}

function closing(summary: string, description: string): RouteSpec {
  return {
    scope: 'operate',
    tag: 'quarantine',
    summary,
    description,
    params: ENTRY_PARAM,
    body: QuarantineCall,
    ok: { schema: QuarantineAnswer, description: 'How the entry stands now.' },
    problems: { 404: 'No such entry.', 409: 'It is closed already, or still cannot be stored.' },
  };
}

@Controller('v1/quarantine')
export class QuarantineController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(OPERATE) private readonly operate: Operate,
  ) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'quarantine',
    summary: 'What could not be stored as sent',
    description: `While an entry is open it holds verdicts on the job that it names. A list shows the first ${String(PREVIEW_BYTES)} bytes of each.`,
    query: QuarantineQuery,
    ok: { schema: QuarantineList, description: 'A page of entries, newest first.' },
  })
  async list(
    @FromPlainQuery() query: QuarantineFilter,
    @TheNamespaces() namespaces: Caller['namespaces'],
  ): Promise<QuarantineList> {
    const { queue, state, reason } = query;
    const filter = {
      namespaces,
      previewBytes: PREVIEW_BYTES,
      ...(queue !== undefined && { queue }),
      ...(state !== undefined && { state }),
      ...(reason !== undefined && { reason }),
    };
    return await listed('quarantine', query, (page) => this.reads.quarantine.list(filter, page), quarantineView);
  }

  @Get(':id')
  @Route({
    scope: 'read',
    tag: 'quarantine',
    summary: 'One entry with all its bytes',
    params: ENTRY_PARAM,
    ok: { schema: QuarantineEntry, description: 'The entry.' },
    problems: { 404: 'No such entry.' },
  })
  async one(@FromPath('id') id: string, @TheCaller() caller: Caller): Promise<QuarantineEntry> {
    return quarantineView(await this.seen(id, caller));
  }

  @Post(':id/replay')
  @Route(
    closing(
      'Takes the entry’s events in again',
      'After what refused them was mended. What still cannot be stored stays open, with the newer reason.',
    ),
  )
  async replay(
    @FromPath('id') id: string,
    @FromBody() body: QuarantineCall,
    @TheCaller() caller: Caller,
  ): Promise<Record<string, unknown>> {
    await this.seen(id, caller);
    return answered(await this.operate.quarantine.replay(id, { reason: body.reason, by: caller.name }));
  }

  @Post(':id/dismiss')
  @Route(closing('Closes the entry without its events', 'Verdicts on the job that it names are no longer held by it.'))
  async dismiss(
    @FromPath('id') id: string,
    @FromBody() body: QuarantineCall,
    @TheCaller() caller: Caller,
  ): Promise<Record<string, unknown>> {
    await this.seen(id, caller);
    return answered(await this.operate.quarantine.dismiss(id, { reason: body.reason, by: caller.name }));
  }

  private async seen(id: string, caller: Caller): Promise<QuarantineRow> {
    const row = await this.reads.quarantine.one(id);
    if (row !== null && (caller.namespaces === 'all' || (row.namespace !== null && maySee(caller, row.namespace))))
      return row;
    throw notFound('entry_unknown', 'There is no such entry in quarantine.');
  }
}

function answered(outcome: QuarantineOutcome): Record<string, unknown> {
  switch (outcome.kind) {
    case 'closed':
      return { state: outcome.state, results: outcome.results };
    case 'still_open': {
      const { reason, detail, results } = outcome;
      throw new Problem(409, 'still_quarantined', `It still cannot be stored: ${detail}`, {
        members: { state: 'open', reason, results },
      });
    }
    case 'conflict':
      throw new Problem(409, 'entry_closed', outcome.detail, { members: { state: outcome.state } });
    case 'refused':
      throw new Problem(400, outcome.code, outcome.detail);
    case 'not_found':
      throw notFound('entry_unknown', 'There is no such entry in quarantine.');
  }
}
