import type { EraseAnswer, OperatorAnswer } from '#libs/contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type Answer, type ServiceOptions } from '../rest/client.js';
import { figure, printable } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface JobCallFlags extends ServiceOptions {
  readonly namespace?: string;
  readonly reason: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export type JobCall = 'redrive' | 'resolve' | 'discard';

/** A person's call on one job, with the reason that is kept with the decision. */
export async function runJobCall(call: JobCall, queue: string, id: string, flags: JobCallFlags, context: Context): Promise<ExitCode> {
  const answer = await sent({ method: 'POST', call, queue, id }, flags, context);
  if (typeof answer === 'number') return answer;
  const { status, attempt, n } = answer.body as OperatorAnswer;
  context.terminal.out(flags.json === true ? JSON.stringify(answer.body) : printable(`${queue}/${id} is ${status} now: attempt ${String(attempt)}, decision ${String(n)}.`));
  return EXIT.fine;
}

export async function runErasePayload(queue: string, id: string, flags: JobCallFlags, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const answer = await sent({ method: 'DELETE', call: 'payload', queue, id }, flags, context);
  if (typeof answer === 'number') return answer;
  for (const line of flags.json === true ? [JSON.stringify(answer.body)] : erasedLines(queue, id, answer.body as EraseAnswer)) terminal.out(line);
  return EXIT.fine;
}

function erasedLines(queue: string, id: string, { already, erased, found, outOfReach }: EraseAnswer): readonly string[] {
  const { bodies, commands, progress, quarantined } = found;
  const now = `Erased of ${queue}/${id}: ${figure(bodies)} bodies, ${figure(commands)} commands, ${figure(progress)} times progress, ${figure(quarantined)} entries of the quarantine.`;
  const before = `Erased of ${queue}/${id} ${erased.at} by ${erased.by} already: ${erased.reason}. Nothing was left.`;
  return [already ? before : now, 'Out of reach:', ...outOfReach.map(({ where, what }) => `  ${where}: ${what}`)].map(printable);
}

interface Call {
  readonly method: string;
  readonly call: string;
  readonly queue: string;
  readonly id: string;
}

/** By query: ids that a path cannot carry are ids too. */
async function sent({ method, call, queue, id }: Call, flags: JobCallFlags, context: Context): Promise<Extract<Answer, { kind: 'ok' }> | ExitCode> {
  const { namespace, reason, force } = flags;
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string') {
    context.terminal.err(client);
    return EXIT.refused;
  }
  const query = new URLSearchParams({ queue, id, ...(namespace !== undefined && { namespace }) });
  const body = JSON.stringify({ reason, ...(force === true && { force }) });
  const answer = await client.send(`v1/jobs/one/${call}?${query.toString()}`, { method, contentType: 'application/json', body });
  return answer.kind === 'ok' ? answer : noAnswer(context, answer);
}
