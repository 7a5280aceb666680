import { Controller, Get, Inject, Post } from '@nestjs/common';
import { invalidationView, iso, type ParkedMessage, type PublishingReport, type ReadModels } from '#libs/application';
import { InvalidationList, ParkedList, type ParkedView } from '#libs/contracts';
import { listed, type ListQuery } from '../http/cursor.js';
import { seesInstallation, type Caller } from '../auth/caller.js';
import { FromPath, FromQuery, TheCaller } from '../http/inputs.js';
import { notFound } from '../http/problem.js';
import { Route } from '../http/route.js';
import { PUBLISHING, READS } from '../tokens.js';
import { InvalidationsQuery, NamespaceQuery, QueuePageQuery, RetryAnswer } from './schemas.js';

type ScopedQuery = ListQuery & { readonly namespace: string; readonly queue?: string };

@Controller('v1')
export class OutgoingController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(PUBLISHING) private readonly publishing: PublishingReport,
  ) {}

  @Get('invalidations')
  @Route({
    scope: 'read',
    tag: 'outgoing',
    summary: 'Cache entries that were said to be no longer true',
    query: InvalidationsQuery,
    ok: { schema: InvalidationList, description: 'A page of invalidations, newest first.' },
  })
  async invalidations(@FromQuery() query: ScopedQuery & { readonly id?: string }): Promise<InvalidationList> {
    return await listed(
      'invalidations',
      query,
      (page) => this.reads.outgoing.invalidations({ ...scopeOf(query), ...(query.id !== undefined && { id: query.id }) }, page),
      invalidationView,
    );
  }

  @Get('parked')
  @Route({
    scope: 'read',
    tag: 'outgoing',
    summary: 'What could not be delivered',
    query: QueuePageQuery,
    ok: { schema: ParkedList, description: 'A page of parked messages, newest first.' },
  })
  async parked(@FromQuery() query: ScopedQuery, @TheCaller() caller: Caller): Promise<ParkedList> {
    const scope = { ...scopeOf(query), installation: seesInstallation(caller) };
    return await listed('parked', query, (page) => this.publishing.parked(scope, page), parkedView);
  }

  @Post('parked/:id/retry')
  @Route({
    scope: 'operate',
    tag: 'outgoing',
    summary: 'Tries a parked message again, and what waits behind it of the same job',
    params: { id: 'Id of the parked message.' },
    query: NamespaceQuery,
    ok: { schema: RetryAnswer, description: 'It will be tried again soon.' },
    problems: { 404: 'Nothing is parked under this id.' },
  })
  async retry(
    @FromPath('id') id: string,
    @FromQuery() query: ScopedQuery,
    @TheCaller() caller: Caller,
  ): Promise<{ readonly retried: boolean }> {
    if (await this.publishing.retry(id, query.namespace, seesInstallation(caller))) return { retried: true };
    throw notFound('parked_unknown', 'Nothing is parked under this id.');
  }
}

function scopeOf({ namespace, queue }: ScopedQuery) {
  return { namespace, ...(queue !== undefined && { queue }) };
}

function parkedView(row: ParkedMessage): ParkedView {
  const { id, atMs, ref, kind, target, tries, detail, behind } = row;
  return { parkedId: id, at: iso(atMs), ...ref, type: kind, target, tries, lastError: detail, behind };
}
