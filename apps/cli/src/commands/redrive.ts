import { setTimeout as delay } from 'node:timers/promises';
import type { RedriveAnswer, RedriveRunView } from '#libs/contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { unknownQueue } from '../rest/unknown-queue.js';
import { noAnswer, ServiceClient, type Answer, type ServiceOptions } from '../rest/client.js';
import { Progress } from '../terminal/progress.js';
import { figure, printable, several } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface RedriveFlags extends ServiceOptions {
  readonly namespace?: string;
  readonly pattern?: string;
  readonly kind?: string;
  readonly diedOf?: string;
  readonly count?: number;
  readonly rate: number;
  readonly force?: boolean;
  readonly reason?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
}

const LOOK_MS = 500;

/** Sends many dead letters of a queue round again, and waits until that is done. Without a count they are only counted. */
export async function runRedrive(queue: string, flags: RedriveFlags, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string') {
    terminal.err(client);
    return EXIT.refused;
  }
  const { namespace, pattern, kind, diedOf, count, rate: perSecond, force, reason } = flags;
  const body = JSON.stringify({ queue, pattern, kind, diedOf, count, perSecond, force, reason });
  const path = `v1/dead-letters/redrives${namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`}`;
  if (count !== undefined && reason === undefined) {
    terminal.err('--count goes with --reason: say why they are sent round again; it is kept with each decision.');
    return EXIT.refused;
  }
  const answer = await client.send(path, { method: 'POST', contentType: 'application/json', body });
  if (answer.kind === 'problem' && answer.code === 'queue_unknown') return (await unknownQueue(client, { namespace, queue }, context)) ?? noAnswer(context, answer);
  if (answer.kind === 'problem' && answer.code === 'count_differs') {
    terminal.err(answer.detail.replace('send that as count', 'say it as --count'));
    return EXIT.refused;
  }
  if (answer.kind !== 'ok') return noAnswer(context, answer);
  const { found, run } = answer.body as RedriveAnswer;
  if (run === null) {
    terminal.out(flags.json === true ? JSON.stringify(answer.body) : countedText(found));
    return EXIT.fine;
  }
  return await follow(client, run, flags, context);
}

function countedText(found: number): string {
  if (found === 0) return 'There is no such dead letter. Nothing was done.';
  return `${several(found, 'dead letter')} would be sent round again. Nothing was done: the same with --count ${String(found)} and --reason does it.`;
}

async function follow(client: ServiceClient, started: RedriveRunView, { detach = false, json = false }: RedriveFlags, context: Context): Promise<ExitCode> {
  const { terminal, signal } = context;
  const progress = new Progress(terminal, json);
  let run = started;
  while (!detach && run.status === 'running' && (await waited(signal))) {
    const answer: Answer = await client.get(`v1/dead-letters/redrives/${run.id}`);
    if (answer.kind !== 'ok') {
      progress.done();
      return noAnswer(context, answer);
    }
    run = answer.body as RedriveRunView;
    const dealtWith = run.redriven + run.refused;
    progress.update(run.wanted === 0 ? 1 : Math.min(1, dealtWith / run.wanted), `${figure(dealtWith)} of ${figure(run.wanted)}`);
  }
  progress.done();
  for (const line of json ? [JSON.stringify(run)] : linesOf(run)) terminal.out(line);
  return run.status === 'stopped' || run.refused > 0 ? EXIT.differences : EXIT.fine;
}

function linesOf(run: RedriveRunView): readonly string[] {
  const { id, status, redriven, refused, refusals, left } = run;
  const why = Object.entries(refusals).map(([code, count]) => `${code} ${figure(count)}`);
  const lines = [`Redrive ${id} ${status === 'running' ? 'goes on' : `is ${status}`}: ${figure(redriven)} sent round again, ${figure(refused)} left where they were${why.length > 0 ? ` (${why.join(', ')})` : ''}, ${figure(left)} to go.`];
  return status === 'running' ? [...lines, `It needs nobody to watch: GET /v1/dead-letters/redrives/${id}, POST …/stop.`].map(printable) : lines.map(printable);
}

/** false: nobody wants to know any more. */
async function waited(signal: AbortSignal): Promise<boolean> {
  await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
