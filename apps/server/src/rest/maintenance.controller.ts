import { Controller, Delete, Get, Inject, Post } from '@nestjs/common';
import { maintenanceView } from '#libs/application';
import { formatDuration, parseDuration } from '#libs/config';
import { MaintenanceCall, MaintenanceList, MaintenanceView } from '#libs/contracts';
import { DEFAULT_NAMESPACE, type MaintenanceScope } from '#libs/domain';
import { needsEverywhere, seen, seesInstallation, maySee, type Caller } from '../auth/caller.js';
import { listed, type ListQuery } from '../http/cursor.js';
import { FromBody, FromPath, FromPlainQuery, TheCaller, TheNamespaces } from '../http/inputs.js';
import { instantMs } from '../http/instant.js';
import { notFound, Problem } from '../http/problem.js';
import { Route } from '../http/route.js';
import { invalid } from '../http/validate.js';
import type { SignalCalls } from '../services.js';
import { SIGNALS } from '../tokens.js';
import { MaintenanceQuery } from './schemas.js';

const MOST_MS = 7 * 86_400_000;

/** Times in which signals lead to nothing. */
@Controller('v1/maintenance')
export class MaintenanceController {
  constructor(@Inject(SIGNALS) private readonly signals: SignalCalls) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'signals',
    summary: 'Maintenance windows',
    description: 'Those of every namespace for a token of all of them.',
    query: MaintenanceQuery,
    ok: { schema: MaintenanceList, description: 'A page of windows, newest first.' },
  })
  async list(@FromPlainQuery() query: ListQuery, @TheNamespaces() namespaces: Caller['namespaces']): Promise<MaintenanceList> {
    return await listed('maintenance', query, (page) => this.signals.maintenance.list({ namespaces }, page), maintenanceView);
  }

  @Post()
  @Route({
    scope: 'operate',
    tag: 'signals',
    summary: 'Starts a maintenance window, now or later',
    description: 'Signals of what it covers lead to nothing while it lasts. What fires on after it is open then.',
    body: MaintenanceCall,
    ok: { status: 201, schema: MaintenanceView, description: 'The window.' },
    problems: { 403: 'It would be about more than the token’s namespaces.' },
  })
  async start(@FromBody() body: MaintenanceCall, @TheCaller() caller: Caller): Promise<MaintenanceView> {
    const scope = scopeOf(body, caller);
    const reason = body.reason.trim();
    if (reason === '') throw new Problem(400, 'reason_required', 'say why: it is kept');
    const forMs = parseDuration(body.for);
    if (forMs === null || forMs <= 0 || forMs > MOST_MS) {
      throw invalid('body', [{ field: 'for', rule: `is no duration up to ${formatDuration(MOST_MS)}`, send: 'Such as 2h.' }]);
    }
    const nowMs = await this.signals.nowMs();
    const fromMs = body.from === undefined ? nowMs : instantMs(body.from);
    if (fromMs + forMs <= nowMs || fromMs > nowMs + MOST_MS * 52) {
      throw invalid('body', [{ field: 'from', rule: 'lies too far back, or ahead', send: 'When the window begins.' }]);
    }
    return maintenanceView(await this.signals.maintenance.start({ ...scope, fromMs, untilMs: fromMs + forMs, reason, by: caller.name }));
  }

  @Delete(':id')
  @Route({
    scope: 'operate',
    tag: 'signals',
    summary: 'Ends a maintenance window',
    description: 'Signals of what it covered that still fire are open again. One that has ended stays as it ended.',
    params: { id: 'Id of the window.' },
    ok: { schema: MaintenanceView, description: 'The window.' },
    problems: { 404: 'No such window.' },
  })
  async end(@FromPath('id') id: string, @TheCaller() caller: Caller): Promise<MaintenanceView> {
    const found = await this.signals.maintenance.one(id);
    const visible = found !== null && (found.namespace === null ? seesInstallation(caller) : maySee(caller, found.namespace));
    const ended = visible ? await this.signals.maintenance.end(id, caller.name) : null;
    if (ended === null) throw notFound('window_unknown', 'There is no such maintenance window.');
    return maintenanceView(ended);
  }
}

function scopeOf({ namespace, queue, target, everywhere }: MaintenanceCall, caller: Caller): MaintenanceScope {
  const of = namespace ?? (queue === undefined ? undefined : DEFAULT_NAMESPACE);
  if (of === undefined && target === undefined && everywhere !== true) {
    throw invalid('body', [{ field: '', rule: 'names nothing', send: 'A queue, a namespace or a target; or `everywhere: true`.' }]);
  }
  if (of === undefined) needsEverywhere(caller);
  else seen(caller, of);
  return { namespace: of ?? null, queue: queue ?? null, target: target ?? null };
}
