import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type ServiceOptions } from '../rest/client.js';
import { printable } from '../terminal/table.js';
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

interface ChainLink {
  readonly attempt: number;
  readonly outcome?: unknown;
  readonly workers?: readonly { readonly id: string }[];
  readonly error?: { readonly class: string; readonly message: string };
}

/** One dead letter with the chain of its attempts. */
export async function runDeadLetter(queue: string, id: string, flags: DeadLetterFlags, context: Context): Promise<ExitCode> {
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
  const letter = answer.body as Record<string, unknown> & { readonly chain?: readonly ChainLink[] };
  terminal.out(printable(`${cell(letter['namespace'])}/${queue}/${id}: dead-lettered ${cell(letter['at'])}, ${cell(letter['reason'])}, by ${cell(letter['by'])}`));
  terminal.out(`attempt ${cell(letter['attempt'])}, redriven ${cell(letter['redrives'])} times before`);
  for (const link of letter.chain ?? []) terminal.out(printable(`  ${chainText(link)}`));
  return EXIT.fine;
}

function chainText({ attempt, outcome, workers = [], error }: ChainLink): string {
  const by = workers.length === 0 ? '' : ` on ${workers.map((w) => w.id).join(', ')}`;
  const why = error === undefined ? '' : `: ${error.class}: ${error.message}`;
  return `attempt ${attempt}${by}: ${cell(outcome)}${why}`;
}
