import { readFileSync } from 'node:fs';
import type { PatchAnswer } from '#libs/contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type Answer, type ServiceOptions } from '../rest/client.js';
import { figure, printable, several } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface PatchFlags extends ServiceOptions {
  readonly namespace?: string;
  /** `-`: standard input. */
  readonly patch: string;
  readonly preview?: boolean;
  /** What the preview has shown; without it nothing is done. */
  readonly result?: string;
  readonly force?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

/** Shows what a JSON Patch would change of a dead letter's payload; once that was seen, changes it and sends it round again. */
export async function runPatch(queue: string, id: string, flags: PatchFlags, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const { namespace, result, force, reason, json = false } = flags;
  const preview = flags.preview === true || result === undefined;
  const client = ServiceClient.of(flags, context);
  const text = textOf(flags.patch);
  const fault = typeof client === 'string' ? client : typeof text === 'string' ? null : text.fault;
  if (fault !== null || typeof client === 'string' || typeof text !== 'string') {
    terminal.err(String(fault));
    return EXIT.refused;
  }
  const call = JSON.stringify({ preview, reason, force, ...(!preview && { result }) });
  // As it is spelled in the file: 1.0 goes into the payload as 1.0.
  const body = `${call.slice(0, -1)},"patch":${text}}`;
  const query = new URLSearchParams({ queue, id, ...(namespace !== undefined && { namespace }) });
  const answer = await client.send(`v1/jobs/one/patch?${query.toString()}`, { method: 'POST', contentType: 'application/json', body });
  if (answer.kind !== 'ok') return refused(answer, context);
  const shown = answer.body as PatchAnswer;
  for (const line of json ? [JSON.stringify(shown)] : linesOf(`${queue}/${id}`, shown)) terminal.out(line);
  return EXIT.fine;
}

function textOf(file: string): string | { readonly fault: string } {
  const named = file === '-' ? 'standard input' : file;
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch {
    return { fault: `--patch ${named} cannot be read` };
  }
  try {
    if (Array.isArray(JSON.parse(text))) return text;
  } catch {
    return { fault: `--patch ${named} is no JSON` };
  }
  return { fault: `--patch ${named} is no JSON Patch: an array of operations (RFC 6902)` };
}

/** Every place at which the schema does not allow it. */
function refused(answer: Exclude<Answer, { kind: 'ok' }>, context: Context): ExitCode {
  const code = noAnswer(context, answer);
  const faults = answer.kind === 'problem' ? (answer.body as { faults?: readonly { path: string; rule: string }[] } | null)?.faults : undefined;
  for (const { path, rule } of faults ?? []) context.terminal.err(printable(`  ${path === '' ? '(whole)' : path} ${rule}`));
  return code;
}

function linesOf(job: string, { preview, status, attempt, n, before, after, changes, redacted, schema }: PatchAnswer): readonly string[] {
  const sizes = [before, after].map((body) => ('bytes' in body ? figure(body.bytes) : '?')).join(' → ');
  const hash = 'hash' in after ? after.hash : '';
  return [
    `Payload of ${job}: ${several(changes.length, 'change')}, ${sizes} bytes${schema === undefined ? '' : `, fits ${schema}`}`,
    ...changes.flatMap(({ path, before: was, after: is }) => [
      `  ${path === '' ? '(whole)' : path}`,
      ...(was === undefined ? [] : [`  - ${was}`]),
      ...(is === undefined ? [] : [`  + ${is}`]),
    ]),
    ...(redacted.length === 0 ? [] : [`Redacted: ${redacted.join(', ')}`]),
    preview
      ? `Nothing was done: the same with --result ${hash} and --reason sends it round again with this payload.`
      : `${job} is ${status} now: attempt ${String(attempt)}, decision ${String(n)}.`,
  ].map(printable);
}
