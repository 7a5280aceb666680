import { Controller, Get, Inject, Post } from '@nestjs/common';
import { deadLetterView, patternDetail, patternView, reviewView, type Page, type PatternDetailRow, type ReadModels } from '#libs/application';
import { parseDuration } from '#libs/config';
import { DeadLetterList, PatternDetail, PatternList, PatternReviewCall, ReviewCall, ReviewView } from '#libs/contracts';
import { maySee, type Caller } from '../auth/caller.js';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromBody, FromPath, FromPlainQuery, FromQuery, TheCaller } from '../http/inputs.js';
import { notFound, Problem, queueUnknown } from '../http/problem.js';
import { Route } from '../http/route.js';
import { invalid } from '../http/validate.js';
import type { HttpLane, Operate } from '../services.js';
import { CLOCK, OPERATE, READS } from '../tokens.js';
import { NamespaceQuery, PatternPageQuery, PatternsQuery } from './schemas.js';

const PATTERN_PARAM = { id: 'Id of the pattern.' } as const;

interface PatternsFilter extends ListQuery {
  readonly namespace: string;
  readonly queue?: string;
  readonly since?: string;
  readonly marked?: boolean;
}

/** Dead letters by what they died of. */
@Controller('v1/dead-letters')
export class DeadLetterPatternsController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(OPERATE) private readonly operate: Operate,
    @Inject(CLOCK) private readonly clock: Pick<HttpLane, 'read'>,
  ) {}

  @Get('patterns')
  @Route({
    scope: 'read',
    tag: 'dead letters',
    summary: 'Dead letters by what they died of',
    description:
      'Sorted by queue, kind, reason, class of the error, its message without what changes, and where it was thrown. `since=review`: what arrived since somebody has looked through them, and only that.',
    query: PatternsQuery,
    ok: { schema: PatternList, description: 'A page of patterns, most arrivals first. One that gets more while you turn the pages moves up: begin again to see it.' },
  })
  async list(@FromQuery() query: PatternsFilter): Promise<PatternList> {
    const { namespace, queue, since = '24h', marked = false } = query;
    const scope = { namespace, ...(queue !== undefined && { queue }) };
    const last = await this.reads.deadLetters.lastReview(scope);
    const sinceMs = since === 'review' ? (last?.atMs ?? 0) : await this.back(since);
    const reviewedMs = last?.atMs ?? null;
    const filter = { ...scope, sinceMs, arrivedOnly: since === 'review', markedOnly: marked, reviewedMs };
    const asked = { ...query, since, marked };
    let sums = { arrived: 0, total: 0, dead: 0, sinceMs };
    const read = async (page: Page) => {
      const found = await this.reads.deadLetters.patterns(filter, page);
      sums = found;
      return found;
    };
    const { items, next } = await listed('patterns', asked, read, (row) => patternView(row, reviewedMs));
    return { since: new Date(sums.sinceMs).toISOString(), lastReview: last === null ? null : reviewView(last), arrived: sums.arrived, total: sums.total, dead: sums.dead, items, next };
  }

  @Get('patterns/:id')
  @Route({
    scope: 'read',
    tag: 'dead letters',
    summary: 'One pattern: when it came, from which releases and workers',
    params: PATTERN_PARAM,
    ok: { schema: PatternDetail, description: 'The pattern.' },
    problems: { 404: 'No such pattern.' },
  })
  async one(@FromPath('id') id: string, @TheCaller() caller: Caller): Promise<PatternDetail> {
    return await this.detail(await this.seen(id, caller));
  }

  @Get('patterns/:id/letters')
  @Route({
    scope: 'read',
    tag: 'dead letters',
    summary: 'The jobs of a pattern that are dead still',
    params: PATTERN_PARAM,
    query: PatternPageQuery,
    ok: { schema: DeadLetterList, description: 'A page of dead letters, newest death first.' },
    problems: { 404: 'No such pattern.' },
  })
  async letters(@FromPath('id') id: string, @FromPlainQuery() query: ListQuery, @TheCaller() caller: Caller): Promise<DeadLetterList> {
    await this.seen(id, caller);
    const asked = { ...query, id };
    return await listed('pattern-letters', asked, (page) => this.reads.deadLetters.letters(id, page), deadLetterView);
  }

  @Post('patterns/:id/review')
  @Route({
    scope: 'operate',
    tag: 'dead letters',
    summary: 'Says what is known of a pattern',
    description: '`fixed` marks it as regressed when it comes again. No job is changed.',
    params: PATTERN_PARAM,
    body: PatternReviewCall,
    ok: { schema: PatternDetail, description: 'The pattern as it stands now.' },
    problems: { 404: 'No such pattern.' },
  })
  async reviewPattern(@FromPath('id') id: string, @FromBody() body: PatternReviewCall, @TheCaller() caller: Caller): Promise<PatternDetail> {
    const reason = givenReason(body.reason);
    await this.seen(id, caller);
    await this.operate.deadLetters.reviewPattern(id, { outcome: body.outcome, by: caller.name, reason });
    return await this.detail(await this.seen(id, caller));
  }

  @Post('reviews')
  @Route({
    scope: 'operate',
    tag: 'dead letters',
    summary: 'Says that all dead letters so far were looked through',
    description: 'Of one queue, or of the namespace. What comes first seen after it is marked as new.',
    query: NamespaceQuery,
    body: ReviewCall,
    ok: { status: 201, schema: ReviewView, description: 'The review.' },
    problems: { 404: '`queue_unknown`: no event has named it.' },
  })
  async review(@FromQuery() { namespace }: { readonly namespace: string }, @FromBody() body: ReviewCall, @TheCaller() caller: Caller): Promise<ReviewView> {
    const reason = givenReason(body.reason);
    // What is said of a name that was mistyped would be said of nothing.
    if (body.queue !== undefined && (await this.reads.queues.one(namespace, body.queue)) === null) throw queueUnknown(body.queue);
    const scope = { namespace, ...(body.queue !== undefined && { queue: body.queue }) };
    return reviewView(await this.operate.deadLetters.review(scope, { by: caller.name, reason }));
  }

  private async back(since: string): Promise<number> {
    const ms = parseDuration(since);
    if (ms === null) throw invalid('query', [{ field: 'since', rule: 'is no duration, nor `review`', send: 'Such as 24h or 7d.' }]);
    return Math.max(0, (await this.clock.read()).nowMs - ms);
  }

  private async detail(row: PatternDetailRow): Promise<PatternDetail> {
    const last = await this.reads.deadLetters.lastReview({ namespace: row.namespace, queue: row.queue });
    return patternDetail(row, last?.atMs ?? null);
  }

  private async seen(id: string, caller: Caller): Promise<PatternDetailRow> {
    const row = await this.reads.deadLetters.pattern(id);
    if (row !== null && maySee(caller, row.namespace)) return row;
    throw notFound('pattern_unknown', 'There is no such pattern of dead letters.');
  }
}

function givenReason(text: string): string {
  const reason = text.trim();
  if (reason === '') throw new Problem(400, 'reason_required', 'say why: it is kept');
  return reason;
}
