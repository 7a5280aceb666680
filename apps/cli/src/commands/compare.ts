import { statSync } from 'node:fs';
import { formatOf, openList, type ListFormat, type ListSource } from '../compare/list-lines.js';
import { objectsOf } from '../compare/read-lines.js';
import { differenceLine, summaryLines, type AnswerLine } from '../compare/show.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type ServiceOptions } from '../rest/client.js';
import { Progress } from '../terminal/progress.js';
import { figure, printable } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface CompareFlags extends ServiceOptions {
  /** Default: by the file's name. */
  readonly format?: ListFormat;
  readonly namespace?: string;
  readonly queue?: string;
  readonly complete?: boolean;
  readonly map?: string;
  readonly preset?: string;
  readonly asOf?: string;
  readonly mend?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

const PATH = 'v1/reconciliations/compare';
const LINES = 'application/x-ndjson';

export async function runCompare(file: string, flags: CompareFlags, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const bytes = sizeOf(file);
  const client = ServiceClient.of(flags, context);
  const fault = typeof bytes === 'string' ? bytes : typeof client === 'string' ? client : faultOf(flags);
  if (typeof bytes === 'string' || typeof client === 'string' || fault !== null) {
    terminal.err(String(fault));
    return EXIT.refused;
  }
  const source = openList(file, flags.format ?? formatOf(file), bytes);
  const progress = new Progress(terminal, flags.json === true);
  const { namespace, queue, complete, map, preset, asOf, mend, reason } = flags;
  const answer = await client.stream(PATH, {
    query: { namespace, queue, complete: complete === true ? 'true' : undefined, map, preset, asOf, mend, reason },
    accept: flags.json === true ? 'application/json' : LINES,
    contentType: LINES,
    body: watched(source, progress),
  });
  if (answer.kind !== 'ok') {
    progress.done();
    const exit = noAnswer(context, answer);
    // What the service refuses is a fault of the call, whatever its status: nothing was compared.
    return exit === EXIT.differences && answer.kind === 'problem' && answer.status < 500 ? EXIT.refused : exit;
  }
  try {
    return flags.json === true ? await tellWhole(answer.body, context) : await tellLines(answer.body, progress, context);
  } catch (error) {
    progress.done();
    terminal.err(`The answer broke off: ${error instanceof Error ? error.message : String(error)}. Run the same command again.`);
    return EXIT.unreachable;
  }
}

function faultOf({ map, preset, complete, queue, mend, reason }: CompareFlags): string | null {
  if (map !== undefined && preset !== undefined) return '--map and --preset: give one of the two';
  if (complete === true && queue === undefined) return '--complete needs --queue: a complete list is one of one queue';
  if (mend !== undefined && (reason ?? '').trim() === '') return '--mend needs --reason: it is kept with each decision';
  return null;
}

/** null: a pipe; a string: what is wrong. */
function sizeOf(file: string): number | null | string {
  if (file === '-') return null;
  try {
    const found = statSync(file);
    if (found.isDirectory()) return `${file} is a directory`;
    return found.isFile() ? found.size : null;
  } catch (error) {
    return `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function* watched({ chunks, bytes, read }: ListSource, progress: Progress): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    const text = `${figure(Math.ceil(read() / 1_024))} KiB sent`;
    if (bytes === null) progress.updateUnknown(text);
    else progress.update(bytes === 0 ? 1 : read() / bytes, text);
  }
}

async function tellWhole(body: AsyncIterable<Uint8Array>, { terminal }: Context): Promise<ExitCode> {
  const parts: Uint8Array[] = [];
  for await (const chunk of body) parts.push(chunk);
  const text = Buffer.concat(parts).toString('utf8');
  const { total, broken } = JSON.parse(text) as { readonly total: number; readonly broken: number };
  terminal.out(text);
  return total + broken > 0 ? EXIT.differences : EXIT.fine;
}

async function tellLines(body: AsyncIterable<Uint8Array>, progress: Progress, { terminal }: Context): Promise<ExitCode> {
  for await (const object of objectsOf(body)) {
    const line = object as unknown as AnswerLine;
    progress.done();
    switch (line.type) {
      case 'difference':
        terminal.out(differenceLine(line));
        break;
      case 'broken':
        terminal.err(printable(`line ${line.line}: ${line.reason}: ${line.detail}`));
        break;
      case 'error':
        terminal.err(`The comparison broke off: ${line.code}: ${line.detail} (request ${line.requestId})`);
        return line.code === 'list_too_large' ? EXIT.refused : EXIT.unreachable;
      case 'summary':
        for (const text of summaryLines(line)) terminal.out(text);
        return line.total + line.broken > 0 ? EXIT.differences : EXIT.fine;
    }
  }
  throw new Error('there is no summary');
}
