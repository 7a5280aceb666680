import { Controller, Get, Inject } from '@nestjs/common';
import { HOUSEKEEPING_AGES, shadowReport, type LaneClock, type ReadModels } from '#libs/application';
import { formatDuration, parseDuration } from '#libs/config';
import { ShadowReport } from '#libs/contracts';
import { FromQuery } from '../http/inputs.js';
import { Route } from '../http/route.js';
import { invalid } from '../http/validate.js';
import type { Policies } from '../services.js';
import { CLOCK, POLICIES, READS } from '../tokens.js';
import { ShadowQuery } from './schemas.js';

/** Wrong ones that are shown of each queue and action. */
const EXAMPLES = 3;

@Controller('v1/shadow-report')
export class ShadowReportController {
  constructor(
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(POLICIES) private readonly policies: Policies,
    @Inject(CLOCK) private readonly clock: Pick<LaneClock, 'read'>,
  ) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'reconciliations',
    summary: 'Whether Jobwarden would have been right, and the level that this speaks for',
    query: ShadowQuery,
    ok: { schema: ShadowReport, description: 'By queue and action.' },
  })
  async report(
    @FromQuery() query: { readonly namespace: string; readonly queue?: string; readonly since?: string },
  ): Promise<ShadowReport> {
    const { since = '24h', ...scope } = query;
    const sinceMs = parseDuration(since);
    const most = HOUSEKEEPING_AGES.verdictsMs;
    if (sinceMs === null || sinceMs <= 0 || sinceMs > most) {
      throw invalid('query', [{ field: 'since', rule: `is no duration up to ${formatDuration(most)}`, send: 'Such as 24h.' }]);
    }
    const wanted = { ...scope, sinceMs };
    const { shadow } = this.reads;
    const [{ nowMs }, counts, wrongOnes] = await Promise.all([this.clock.read(), shadow.counts(wanted), shadow.wrongOnes(wanted, EXAMPLES)]);
    return shadowReport({ counts, wrongOnes, nowMs, sinceMs }, this.policies.source);
  }
}
