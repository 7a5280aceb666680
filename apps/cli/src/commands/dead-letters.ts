import type { ChainLink, DeadLetterView } from '#libs/contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type ServiceOptions } from '../rest/client.js';
import { printable, several } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';
import { cell, runList, type ListFlags } from './lists.js';

export interface DeadLettersFlags extends ListFlags {
  readonly namespace?: string;
  readonly queue?: string;
}

export interface DeadLetterFlags extends ServiceOptions {
  readonly namespace?: string;
  readonly json?: boolean;
}

const COLUMNS = ['at', 'reason', 'attempt', 'redrives', 'queue', 'id'] as const;

export async function runDeadLetters(flags: DeadLettersFlags, context: Context): Promise<ExitCode> {
  const { namespace, queue } = flags;
  return await runList(
    {
      path: 'v1/dead-letters',
      query: { namespace, queue },
      head: ['AT', 'REASON', 'ATTEMPT', 'REDRIVES', 'QUEUE', 'ID'],
      row: (letter) => COLUMNS.map((name) => cell(letter[name])),
      noun: 'dead letters',
    },
    flags,
    context,
  );
}

/** One dead letter with the chain of its attempts. */
export async function runDeadLetter(
  queue: string,
  id: string,
  flags: DeadLetterFlags,
  context: Context,
): Promise<ExitCode> {
  const { terminal } = context;
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string') {
    terminal.err(client);
    return EXIT.refused;
  }
  const answer = await client.get('v1/dead-letters/one', { namespace: flags.namespace, queue, id });
  if (answer.kind !== 'ok') return noAnswer(context, answer);
  if (flags.json === true) {
    terminal.out(JSON.stringify(answer.body));
    return EXIT.fine;
  }
  const { namespace, at, reason, by, attempt, redrives, hops, patches = [], chain, payload, erased, firstCause, cut = [] } = answer.body as DeadLetterView;
  terminal.out(printable(`${namespace}/${queue}/${id}: dead-lettered ${at}, ${reason}, by ${by}`));
  terminal.out(`attempt ${attempt}, redriven ${several(redrives, 'time')} before`);
  terminal.out(printable(payloadText({ namespace, queue, id }, payload, erased)));
  for (const one of cut) terminal.out(printable(`  ${cutText(one)}`));
  for (const hop of hops) terminal.out(printable(`  redriven ${hop.at} by ${hop.by}: ${hop.reason}`));
  for (const patch of patches) terminal.out(printable(`  payload changed ${patch.at} by ${patch.by}: ${patch.reason}`));
  for (const link of chain) terminal.out(printable(`  ${chainText(link)}${link.attempt === firstCause?.attempt && chain.length > 1 ? ' (first cause)' : ''}`));
  return EXIT.fine;
}

function cutText({ type, redacted, message }: NonNullable<DeadLetterView['cut']>[number]): string {
  const whole = message === undefined || 'ref' in message ? [] : [`the end of a message of ${several(message.bytes, 'byte')}, kept whole as ${message.hash}`];
  return `cut out of ${type}: ${[...redacted, ...whole].join(', ')}`;
}

function payloadText(job: { readonly namespace: string; readonly queue: string; readonly id: string }, payload: DeadLetterView['payload'], erased: DeadLetterView['erased']): string {
  if (erased !== undefined) return `payload erased ${erased.at} by ${erased.by}: ${erased.reason}`;
  if (payload === undefined) return 'no payload was told';
  return 'ref' in payload ? `payload kept elsewhere: ${payload.ref}` : `payload ${several(payload.bytes, 'byte')}: GET /v1/jobs/one/bodies/${payload.hash}?${new URLSearchParams(job).toString()}`;
}

function chainText({ attempt, ended, at, worker, error, durationMs }: ChainLink): string {
  const by = worker === undefined ? '' : ` on ${worker.id}${worker.revision === undefined ? '' : ` (${worker.revision})`}`;
  const after = durationMs === undefined ? '' : ` after ${durationMs} ms`;
  return `attempt ${attempt}${by}: ${ended} ${at}${after}${error === undefined ? '' : errorText(error)}`;
}

function errorText({ class: name, message, code, responseStatus }: NonNullable<ChainLink['error']>): string {
  const more = [code, responseStatus === undefined ? undefined : `HTTP ${responseStatus}`].filter((word) => word !== undefined);
  return `: ${name}: ${message}${more.length === 0 ? '' : ` (${more.join(', ')})`}`;
}
