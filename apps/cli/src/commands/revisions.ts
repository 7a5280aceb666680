import type { RefusalAnswer, RevisionList } from '#libs/contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type ServiceOptions } from '../rest/client.js';
import { figure, printable, table } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface RevisionsFlags extends ServiceOptions {
  readonly namespace?: string;
  readonly queue?: string;
  readonly json?: boolean;
}

export interface RevisionCallFlags extends RevisionsFlags {
  readonly reason: string;
  readonly force?: boolean;
}

/** Releases of workers, and which are out of service. */
export async function runRevisions(flags: RevisionsFlags, context: Context): Promise<ExitCode> {
  const { namespace, queue } = flags;
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string') return refused(context, client);
  const answer = await client.get('v1/revisions', { namespace, queue });
  if (answer.kind !== 'ok') return noAnswer(context, answer);
  const { items } = answer.body as RevisionList;
  if (flags.json === true) context.terminal.out(JSON.stringify(answer.body));
  else if (items.length === 0) context.terminal.out('No worker names a revision.');
  else for (const line of table(HEAD, items.map(row))) context.terminal.out(line);
  return EXIT.fine;
}

const HEAD = ['QUEUE', 'REVISION', 'WORKERS', 'RUNNING', 'LAST BEAT', 'ENDED WELL', 'REFUSED'];

function row({ queue, revision, workers, running, lastBeatAt, record, refused: refusal }: RevisionList['items'][number]): readonly string[] {
  const why = refusal === null ? '-' : `since ${refusal.at} by ${refusal.by}: ${refusal.reason}`;
  return [queue ?? (refusal?.queue === null ? '(all)' : '-'), revision, String(workers), String(running), lastBeatAt ?? '-', endedWell(record), why];
}

function endedWell(record: RevisionList['items'][number]['record']): string {
  if (record === null) return '-';
  const { succeeded, failed, lost } = record;
  return `${figure(succeeded)} of ${figure(succeeded + failed + lost)}`;
}

export async function runRevisionCall(call: 'refuse' | 'readmit', revision: string, flags: RevisionCallFlags, context: Context): Promise<ExitCode> {
  const { namespace, queue, reason, force } = flags;
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string') return refused(context, client);
  const body = JSON.stringify({ namespace, queue, revision, reason, ...(force === true && { force }) });
  const answer = await client.send(`v1/revisions/${call}`, { method: 'POST', contentType: 'application/json', body });
  if (answer.kind !== 'ok') return noAnswer(context, answer);
  context.terminal.out(flags.json === true ? JSON.stringify(answer.body) : printable(told(call, answer.body as RefusalAnswer)));
  return EXIT.fine;
}

function told(call: 'refuse' | 'readmit', { refusal, changed, refusedEverywhere, liveLeases }: RefusalAnswer): string {
  const { revision, queue, at, by, reason } = refusal;
  const where = queue === null ? 'in all queues' : `in ${queue}`;
  if (call === 'readmit') return `${revision} is let in again ${where}.`;
  const how = changed ? `${revision} is refused ${where} now` : `${revision} is refused ${where} since ${at} already, by ${by}: ${reason}`;
  const reach = refusedEverywhere ? 'every replica goes by it' : 'every replica goes by it within two seconds';
  return `${how}; ${reach}. ${String(liveLeases)} of its attempts still run.`;
}

function refused({ terminal }: Context, why: string): ExitCode {
  terminal.err(why);
  return EXIT.refused;
}
