import { Controller, Get, Inject, Post } from '@nestjs/common';
import { signalView, type SignalState } from '#libs/application';
import { AlertsAnswer, AlertsCall, SignalList } from '#libs/contracts';
import type { Caller } from '../auth/caller.js';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromBody, FromPlainQuery, TheCaller, TheNamespaces } from '../http/inputs.js';
import { Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import type { SignalCalls } from '../services.js';
import { SIGNALS } from '../tokens.js';
import { SignalsQuery } from './schemas.js';

/** A few thousand alerts: Alertmanager puts all of a group into one payload, and sends what is refused for its size no more. */
const BODY_BYTES = 16 * 1_048_576;

interface SignalsFilter extends ListQuery {
  readonly queue?: string;
  readonly state?: SignalState;
}

/** That queues have gone critical, as Alertmanager tells it. */
@Controller('v1')
export class AlertsController {
  constructor(@Inject(SIGNALS) private readonly signals: SignalCalls) {}

  @Post('alerts')
  @Route({
    scope: 'operate',
    tag: 'signals',
    summary: 'Takes alerts, as Alertmanager’s webhook sends them',
    description:
      'Those with the label `action: trigger-rollback` become signals, once for each fingerprint and start, whoever sends them and however often. One that cannot be acted on is kept with its reason, and the others of the payload count.',
    // Read by itself: one alert that is broken must not lose the others of its payload.
    bodies: { 'application/json': AlertsCall },
    bodyBytes: BODY_BYTES,
    ok: { schema: AlertsAnswer, description: 'What became of each alert.' },
    problems: { 400: '`version_unknown`, `payload_invalid`: nothing of it could be read; that is kept among the signals.' },
  })
  async take(@FromBody() payload: unknown, @TheCaller() caller: Caller): Promise<AlertsAnswer> {
    const taken = await this.signals.alerts.take(payload, caller.namespaces);
    if (taken.kind === 'refused') throw new Problem(400, taken.code, taken.detail, { members: { signalId: taken.signalId } });
    return { received: taken.results.length, results: [...taken.results] };
  }

  @Get('signals')
  @Route({
    scope: 'read',
    tag: 'signals',
    summary: 'That queues have gone critical, and what became of it',
    description: 'Also alerts that could not be acted on. Those that name no known queue are seen by tokens of every namespace.',
    query: SignalsQuery,
    ok: { schema: SignalList, description: 'A page of signals, newest first.' },
  })
  async list(@FromPlainQuery() query: SignalsFilter, @TheNamespaces() namespaces: Caller['namespaces']): Promise<SignalList> {
    const { queue, state } = query;
    const filter = { namespaces, ...(queue !== undefined && { queue }), ...(state !== undefined && { state }) };
    return await listed('signals', query, (page) => this.signals.reads.list(filter, page), signalView);
  }
}
