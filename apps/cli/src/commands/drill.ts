import { randomUUID } from 'node:crypto';
import { ALERT_LINKS, AlertLinks } from '../drill/alert-links.js';
import { Chain, NoDrill } from '../drill/chain.js';
import { JOB_LINKS, JobLinks } from '../drill/job-links.js';
import { drillLines, type DrillReport } from '../drill/links.js';
import { OF_DRILLS } from '../drill/synthetic.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type ServiceOptions } from '../rest/client.js';
import type { Context } from '../terminal/terminal.js';

export interface DrillFlags extends ServiceOptions {
  readonly timeoutMs: number;
  readonly json?: boolean;
}

/**
 * Sends a job that gets stuck and an alert through every link up to the pager, and tells which of them work. Everything of it
 * is in a namespace of drills, where the service never acts. What was begun is ended, also after Ctrl-C.
 */
export async function runDrill(flags: DrillFlags, context: Context): Promise<ExitCode> {
  const ended = new AbortController();
  // Ctrl-C ends the waiting and not the cleaning up.
  const client = ServiceClient.of(flags, { ...context, signal: ended.signal });
  if (typeof client === 'string') {
    context.terminal.err(client);
    return EXIT.refused;
  }
  try {
    return await drilled(client, flags, context);
  } catch (error) {
    if (error instanceof NoDrill) return noAnswer(context, error.answer);
    throw error;
  } finally {
    ended.abort();
  }
}

async function drilled(client: ServiceClient, { timeoutMs, json }: DrillFlags, { terminal, signal }: Context): Promise<ExitCode> {
  const drill = randomUUID();
  const chain = new Chain(client, { withinMs: timeoutMs, signal });
  chain.expect(...JOB_LINKS, ...ALERT_LINKS, 'stuck notice', 'clean-up');
  chain.tell('stuck notice', 'left-out', 'stuck jobs are told once a minute, and a drill is over by then');
  const jobs = new JobLinks(chain, client, drill);
  let streamed = '';
  const alert = new AlertLinks(chain, drill, () => streamed);
  await jobs.begin();
  void listen(client, (text) => (streamed += text));
  if (await jobs.event()) {
    try {
      await Promise.all([jobs.log(), jobs.verdict(), alert.run()]);
    } finally {
      await cleanUp(chain, alert, drill);
    }
  }
  const { links } = chain;
  const report: DrillReport = { drill, incidentId: alert.incidentId, ok: links.every(({ state }) => state !== 'broken'), links };
  for (const line of json === true ? [JSON.stringify(report)] : drillLines(report)) terminal.out(line);
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
  try {
    const done = [await alert.sendResolved(), (await chain.post(`v1/jobs/one/cancel?${query.toString()}`, { reason })) !== null];
    if (done.every(Boolean)) chain.tell('clean-up', 'ok', 'the job is cancelled, and the alert is over');
    else chain.tell('clean-up', 'broken', 'not everything could be ended', `Cancel the job ${drill} of ${OF_DRILLS.queue} by hand; the incident ends by itself within ten minutes.`);
  } catch (error) {
    if (!(error instanceof NoDrill)) throw error;
    chain.tell('clean-up', 'broken', error.answer.detail, `Cancel the job ${drill} of ${OF_DRILLS.queue} by hand; the incident ends by itself within ten minutes.`);
  }
}
