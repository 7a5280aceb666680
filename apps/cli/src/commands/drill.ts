import { randomUUID } from 'node:crypto';
import { ALERT_LINKS, AlertLinks } from '../drill/alert-links.js';
import { DirectWay, type AlertWay } from '../drill/alert-way.js';
import { Chain, NoDrill } from '../drill/chain.js';
import { JOB_LINKS, JobLinks } from '../drill/job-links.js';
import { drillLines, type DrillReport } from '../drill/links.js';
import { AlertmanagerWay } from '../drill/outside/alertmanager-way.js';
import { OutsideClient } from '../drill/outside/outside-client.js';
import { PROMETHEUS_LINKS, PrometheusLinks } from '../drill/outside/prometheus-links.js';
import { settled } from '../drill/settled.js';
import { STUCK_LINK, StuckLink } from '../drill/stuck-link.js';
import { OF_DRILLS } from '../drill/synthetic.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type ServiceOptions } from '../rest/client.js';
import type { Context } from '../terminal/terminal.js';

export interface DrillFlags extends ServiceOptions {
  /** Left out: as long as the slowest link that is asked for takes. */
  readonly timeoutMs?: number | undefined;
  readonly prometheus?: string;
  readonly prometheusTokenEnv?: string;
  readonly alertmanager?: string;
  readonly alertmanagerTokenEnv?: string;
  readonly stuckNotice?: boolean;
  readonly json?: boolean;
}

const WITHIN_MS = 30_000;
/** Alertmanager waits before it sends, and again before it sends that an alert is over; a notice is gathered for a minute. */
const WITHIN_SLOW_MS = 120_000;
/** Beyond its deadline a drill cleans up; whatever is left then is over by itself. */
const OVER_AFTER_MS = 60_000;

interface Clients {
  readonly service: ServiceClient;
  readonly prometheus: OutsideClient | null;
  readonly alertmanager: OutsideClient | null;
}

/**
 * Sends a job that gets stuck and an alert through every link up to the pager, and tells which of them work. Everything of it
 * is in a namespace of drills, where the service never acts. What was begun is ended, also after Ctrl-C.
 */
export async function runDrill(flags: DrillFlags, context: Context): Promise<ExitCode> {
  const ended = new AbortController();
  // Ctrl-C ends the waiting and not the cleaning up.
  const clients = clientsOf(flags, { ...context, signal: ended.signal });
  if (typeof clients === 'string') {
    context.terminal.err(clients);
    return EXIT.refused;
  }
  try {
    return await drilled(clients, flags, context);
  } catch (error) {
    if (error instanceof NoDrill) return noAnswer(context, error.answer);
    throw error;
  } finally {
    ended.abort();
  }
}

/** A string: what is wrong with the options. */
function clientsOf(flags: DrillFlags, context: Context): Clients | string {
  const service = ServiceClient.of(flags, context);
  if (typeof service === 'string') return service;
  const prometheus = outside('--prometheus', flags.prometheus, flags.prometheusTokenEnv, context);
  if (typeof prometheus === 'string') return prometheus;
  const alertmanager = outside('--alertmanager', flags.alertmanager, flags.alertmanagerTokenEnv, context);
  if (typeof alertmanager === 'string') return alertmanager;
  return { service, prometheus, alertmanager };
}

function outside(option: string, url: string | undefined, tokenEnv: string | undefined, context: Context): OutsideClient | null | string {
  if (url !== undefined) return OutsideClient.of({ option, url, tokenEnv }, context);
  return tokenEnv === undefined ? null : `${option}-token-env belongs to ${option}, which is missing`;
}

async function drilled({ service, prometheus, alertmanager }: Clients, flags: DrillFlags, { terminal, signal }: Context): Promise<ExitCode> {
  const drill = randomUUID();
  const slow = alertmanager !== null || flags.stuckNotice === true;
  const withinMs = flags.timeoutMs ?? (slow ? WITHIN_SLOW_MS : WITHIN_MS);
  const chain = new Chain(service, { withinMs, signal });
  const startsAt = new Date().toISOString();
  const way: AlertWay = alertmanager === null ? new DirectWay(chain, drill, startsAt) : new AlertmanagerWay({ chain, client: alertmanager, drill, startsAt, endsAfterMs: withinMs + OVER_AFTER_MS });
  chain.expect(...JOB_LINKS, ...(prometheus === null ? [] : PROMETHEUS_LINKS), ...way.links, ...ALERT_LINKS, STUCK_LINK, 'clean-up');
  const jobs = new JobLinks(chain, service, drill);
  let streamed = '';
  const alert = new AlertLinks(chain, way, () => streamed);
  await jobs.begin();
  void listen(service, (text) => (streamed += text));
  const stuck = new StuckLink(chain, drill, flags.stuckNotice === true);
  const stands = async (): Promise<void> => {
    if (!(await jobs.event())) return;
    try {
      await settled([jobs.log(), jobs.verdict().then(async (found) => await stuck.run(found)), alert.run()]);
    } finally {
      await cleanUp(chain, alert, drill);
    }
  };
  await settled([prometheus === null ? Promise.resolve() : new PrometheusLinks(chain, prometheus).run(), stands()]);
  const { links } = chain;
  const report: DrillReport = { drill, incidentId: alert.incidentId, ok: links.every(({ state }) => state !== 'broken'), links };
  for (const line of flags.json === true ? [JSON.stringify(report)] : drillLines(report)) terminal.out(line);
  return report.ok && !signal.aborted ? EXIT.fine : EXIT.differences;
}

/** Until the drill is over, or the service ends it: then the link says so. */
async function listen(client: ServiceClient, told: (text: string) => void): Promise<void> {
  const answer = await client.read('v1/streams/incidents', { namespace: OF_DRILLS.namespace });
  if (answer.kind !== 'ok') return;
  const decoder = new TextDecoder();
  try {
    for await (const chunk of answer.body) told(decoder.decode(chunk, { stream: true }));
  } catch {
    // Given up at the end of the drill.
  }
}

async function cleanUp(chain: Chain, alert: AlertLinks, drill: string): Promise<void> {
  const reason = 'the drill is over';
  const query = new URLSearchParams({ ...OF_DRILLS, id: drill });
  const mend = `Cancel the job ${drill} of ${OF_DRILLS.queue} by hand; the incident ends by itself within ten minutes.`;
  try {
    const done = [await alert.clean(), (await chain.post(`v1/jobs/one/cancel?${query.toString()}`, { reason })) !== null];
    if (done.every(Boolean)) chain.tell('clean-up', 'ok', 'the job is cancelled, and the alert is over');
    else chain.tell('clean-up', 'broken', 'not everything could be ended', mend);
  } catch (error) {
    if (!(error instanceof NoDrill)) throw error;
    chain.tell('clean-up', 'broken', error.answer.detail, mend);
  }
}
