import { EXIT, type ExitCode } from '../exit-codes.js';
import { unknownQueue } from '../rest/unknown-queue.js';
import { noAnswer, ServiceClient, type ServiceOptions } from '../rest/client.js';
import { figure, table } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface ListFlags extends ServiceOptions {
  readonly limit: number;
  readonly all?: boolean;
  readonly json?: boolean;
}

export interface ListCommand {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly head: readonly string[];
  readonly row: (item: Record<string, unknown>) => readonly string[];
  /** What the items are called when there are none. */
  readonly noun: string;
}

const PAGE = 1_000;

/** Prints a list of the REST API: one page's worth, or with `all` every page as it comes. */
export async function runList(
  { path, query, head, row, noun }: ListCommand,
  flags: ListFlags,
  context: Context,
): Promise<ExitCode> {
  const { terminal, signal } = context;
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string') {
    terminal.err(client);
    return EXIT.refused;
  }
  const items: Record<string, unknown>[] = [];
  let next: string | undefined;
  let shown = 0;
  do {
    const limit = flags.all === true ? PAGE : Math.min(PAGE, flags.limit - shown);
    const answer = await client.get(path, { ...query, limit: String(limit), next });
    if (answer.kind !== 'ok') return noAnswer(context, answer);
    const page = answer.body as { readonly items: readonly Record<string, unknown>[]; readonly next: string | null };
    items.push(...page.items);
    shown += page.items.length;
    next = page.next ?? undefined;
  } while (next !== undefined && (flags.all === true || shown < flags.limit) && !signal.aborted);
  if (flags.json === true) {
    terminal.out(JSON.stringify({ items, next: next ?? null }));
    return EXIT.fine;
  }
  if (items.length === 0) {
    const unknown = await unknownQueue(client, { namespace: query['namespace'], queue: query['queue'] }, context);
    if (unknown !== null) return unknown;
    terminal.out(`No ${noun}.`);
  }
  else for (const line of table(head, items.map(row))) terminal.out(line);
  if (next !== undefined) terminal.err(`These are the first ${figure(shown)}; --limit or --all shows more.`);
  return EXIT.fine;
}

/** A value of an item as it is shown in a column. */
export function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
