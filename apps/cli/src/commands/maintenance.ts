import type { MaintenanceList, MaintenanceView } from '#libs/contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type Answer, type ServiceOptions } from '../rest/client.js';
import { printable, table } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface MaintenanceFlags extends ServiceOptions {
  readonly namespace?: string;
  readonly json?: boolean;
}

export interface MaintenanceStartFlags extends MaintenanceFlags {
  readonly queue?: string;
  readonly target?: string;
  readonly everywhere?: boolean;
  readonly from?: string;
  readonly for: string;
  readonly reason: string;
}

/** Times in which signals lead to nothing. */
export async function runMaintenanceList(flags: MaintenanceFlags, context: Context): Promise<ExitCode> {
  const { namespace } = flags;
  return await asked(flags, context, (client) => client.get('v1/maintenance', { namespace }), (body) => {
    const { items } = body as MaintenanceList;
    return items.length === 0 ? ['There is no maintenance window.'] : table(HEAD, items.map(row));
  });
}

export async function runMaintenanceStart(flags: MaintenanceStartFlags, context: Context): Promise<ExitCode> {
  const { namespace, queue, target, everywhere, from, reason } = flags;
  const body = JSON.stringify({ namespace, queue, target, everywhere, from, for: flags.for, reason });
  const start = (client: ServiceClient) => client.send('v1/maintenance', { method: 'POST', contentType: 'application/json', body });
  return await asked(flags, context, start, (answer) => {
    const window = answer as MaintenanceView;
    return [`Window ${window.id}: signals of ${scopeOf(window)} lead to nothing from ${window.from} until ${window.until}.`];
  });
}

export async function runMaintenanceEnd(id: string, flags: MaintenanceFlags, context: Context): Promise<ExitCode> {
  const end = (client: ServiceClient) => client.send(`v1/maintenance/${encodeURIComponent(id)}`, { method: 'DELETE' });
  return await asked(flags, context, end, (answer) => {
    const { endedAt, until } = answer as MaintenanceView;
    return [`Window ${id} is over since ${endedAt ?? until}.`];
  });
}

const HEAD = ['WINDOW', 'OF', 'FROM', 'UNTIL', 'BY', 'REASON'];

function row(window: MaintenanceView): readonly string[] {
  const { id, from, until, endedAt, endedBy, by, reason } = window;
  return [id, scopeOf(window), from, endedAt === null ? until : `${endedAt} (ended by ${endedBy ?? '-'})`, by, reason];
}

function scopeOf({ namespace, queue, target }: MaintenanceView): string {
  const named = [queue ?? [], namespace ?? [], target === null ? [] : `target ${target}`].flat();
  return named.length === 0 ? 'everything' : named.join(', ');
}

async function asked(flags: MaintenanceFlags, context: Context, ask: (client: ServiceClient) => Promise<Answer>, told: (body: unknown) => readonly string[]): Promise<ExitCode> {
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string') {
    context.terminal.err(client);
    return EXIT.refused;
  }
  const answer = await ask(client);
  if (answer.kind !== 'ok') return noAnswer(context, answer);
  if (flags.json === true) context.terminal.out(JSON.stringify(answer.body));
  else for (const line of told(answer.body)) context.terminal.out(printable(line));
  return EXIT.fine;
}
