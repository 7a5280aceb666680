import type { Chain } from '../chain.js';
import { howMany } from '#libs/domain';
import { SCRAPE_JOB, SHIPPED_ALERTS, SHIPPED_METRIC } from '../shipped-alerts.js';
import { mendOf, type OutsideAnswer, type OutsideClient } from './outside-client.js';

export const PROMETHEUS_LINKS = ['scrape', 'query', 'rules', 'alerting'] as const;
type LinkName = (typeof PROMETHEUS_LINKS)[number];

/** Go writes a slice without items as null. */
type Slice<T> = readonly (T | null)[] | null;

interface Target {
  readonly labels?: { readonly job?: string } | null;
  readonly health?: string | null;
  readonly lastError?: string | null;
  readonly scrapeUrl?: string | null;
}

interface Rule {
  readonly name?: string | null;
  readonly health?: string | null;
  readonly lastError?: string | null;
}

interface Data {
  readonly activeTargets?: Slice<Target>;
  readonly groups?: Slice<{ readonly rules?: Slice<Rule> }>;
  readonly activeAlertmanagers?: Slice<{ readonly url?: string | null }>;
  readonly result?: Slice<object>;
}

interface Told {
  readonly state: 'ok' | 'broken';
  readonly says: string;
  readonly mend?: string;
  /** It may be otherwise soon: it is looked at again. */
  readonly again?: true;
}

const NO_PROMETHEUS = 'it answers, but not as a Prometheus';

const OPTION = '--prometheus';
const NAMED = 4;
/** Of the time that is left: it may just have been started, and has found nothing yet. */
const SHARE = 0.25;
const SOON = 'Its first round takes as long as its intervals: try again, or give a longer --timeout.';

/** Whether a Prometheus sees Jobwarden, goes by the shipped rules, and has somebody to tell. It is only asked. */
export class PrometheusLinks {
  constructor(
    private readonly chain: Chain,
    private readonly client: OutsideClient,
  ) {}

  async run(): Promise<void> {
    const seen = await this.link('scrape', 'api/v1/targets', { state: 'active' }, (data) => scraped(items(data.activeTargets)));
    if (seen) await this.link('query', 'api/v1/query', { query: SHIPPED_METRIC }, answered);
    await this.link('rules', 'api/v1/rules', { type: 'alert' }, (data) => loaded(items(data.groups).flatMap(({ rules }) => items(rules))));
    await this.link('alerting', 'api/v1/alertmanagers', {}, known);
  }

  private async link(name: LinkName, path: string, query: Readonly<Record<string, string>>, judge: (data: Data) => Told): Promise<boolean> {
    let told: Told = { state: 'broken', says: 'it was not asked in time', mend: 'Give a longer --timeout.' };
    await this.chain.watch(async () => {
      const answer = await this.client.get(path, query);
      told = judged(answer, judge);
      return told.again === true ? null : told;
    }, SHARE);
    const { state, says, mend } = told;
    this.chain.tell(name, state, says, mend ?? null);
    return state === 'ok';
  }
}

function judged(answer: OutsideAnswer, judge: (data: Data) => Told): Told {
  if (answer.kind !== 'ok') return { state: 'broken', says: answer.detail, mend: mendOf(answer, OPTION), ...(answer.kind === 'refused' && answer.status >= 500 && { again: true }) };
  const other: Told = { state: 'broken', says: NO_PROMETHEUS, mend: `See ${OPTION}: its API is asked below this address.` };
  const { status, data } = (typeof answer.body === 'object' && answer.body !== null ? answer.body : {}) as { readonly status?: string; readonly data?: unknown };
  if (status !== 'success' || typeof data !== 'object' || data === null) return other;
  try {
    return judge(data);
  } catch {
    // Members of other types than those of a Prometheus.
    return other;
  }
}

function items<T extends object>(slice: Slice<T> | undefined): readonly T[] {
  return (slice ?? []).filter((item) => item !== null);
}

function scraped(targets: readonly Target[]): Told {
  const ours = targets.filter(({ labels }) => labels?.job === SCRAPE_JOB);
  if (ours.length === 0) return { state: 'broken', says: `no target of the job ${SCRAPE_JOB}`, mend: `Scrape every replica under job_name: ${SCRAPE_JOB}, by which the rules know it: deploy/prometheus/prometheus.yaml.`, again: true };
  const down = ours.find(({ health }) => health === 'down');
  if (down !== undefined) {
    const scrapeUrl = down.scrapeUrl ?? 'a replica';
    const lastError = down.lastError ?? '';
    const mend = /\b40[13]\b/u.test(lastError) ? 'Where the service has tokens, the scrape needs one of scope read: authorization in deploy/prometheus/prometheus.yaml.' : 'Is the replica running, and may Prometheus reach it?';
    return { state: 'broken', says: `${scrapeUrl} is down: ${lastError}`, mend };
  }
  if (ours.some(({ health }) => health !== 'up')) return { state: 'broken', says: 'not every replica was scraped yet', mend: SOON, again: true };
  return { state: 'ok', says: `the job ${SCRAPE_JOB} is up, ${howMany(ours.length, 'replica')}` };
}

function answered({ result }: Data): Told {
  if (items(result).length === 0) return { state: 'broken', says: `it has no ${SHIPPED_METRIC}`, mend: 'No alert on queues can fire: docs/runbooks/JobwardenFiguresAbsent.md.', again: true };
  return { state: 'ok', says: `it has ${SHIPPED_METRIC}, which alerts on queues stand on` };
}

function loaded(rules: readonly Rule[]): Told {
  const missing = SHIPPED_ALERTS.filter((alert) => !rules.some(({ name }) => name === alert));
  if (missing.length > 0) {
    return { state: 'broken', says: `${String(missing.length)} of ${String(SHIPPED_ALERTS.length)} alerts are missing: ${some(missing)}`, mend: 'Load all deploy/prometheus/*.rules.yaml by rule_files (the chart does, with metrics.prometheusRule), and look at the log of Prometheus.' };
  }
  const ours = rules.filter(({ name }) => SHIPPED_ALERTS.some((alert) => alert === name));
  const ill = ours.find(({ health }) => health === 'err');
  if (ill !== undefined) return { state: 'broken', says: `${ill.name ?? 'a rule'} cannot be evaluated: ${ill.lastError ?? ''}`, mend: 'Are the rules those of the release that runs? promtool check rules names the place.' };
  if (ours.some(({ health }) => health !== 'ok')) return { state: 'broken', says: 'not every alert was evaluated yet', mend: SOON, again: true };
  return { state: 'ok', says: `all ${String(SHIPPED_ALERTS.length)} alerts are loaded, and can be evaluated` };
}

function known({ activeAlertmanagers }: Data): Told {
  const hosts = items(activeAlertmanagers).flatMap(({ url }) => (URL.canParse(url ?? '') ? new URL(url ?? '').host : []));
  if (hosts.length === 0) return { state: 'broken', says: 'it has no Alertmanager to tell', mend: 'alerting.alertmanagers of its configuration names none that it can find: no alert leaves it.', again: true };
  return { state: 'ok', says: `it tells ${some(hosts)}` };
}

function some(names: readonly string[]): string {
  const left = names.length - NAMED;
  return `${names.slice(0, NAMED).join(', ')}${left > 0 ? ` and ${String(left)} more` : ''}`;
}
