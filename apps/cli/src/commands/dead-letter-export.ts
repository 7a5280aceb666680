import { createWriteStream, existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { once } from 'node:events';
import { linesOf } from '../compare/read-lines.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { unknownQueue } from '../rest/unknown-queue.js';
import { noAnswer, ServiceClient, type ServiceOptions } from '../rest/client.js';
import { Progress } from '../terminal/progress.js';
import { typedPath } from '../terminal/paths.js';
import { several } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface ExportFlags extends ServiceOptions {
  readonly namespace?: string;
  readonly queue?: string;
  readonly output?: string;
}

/** All dead letters as lines of JSON. A file has its name only once it is whole. */
export async function runExport(flags: ExportFlags, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const { namespace, queue } = flags;
  const output = flags.output === undefined ? undefined : typedPath(flags.output, context.env);
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string') {
    terminal.err(client);
    return EXIT.refused;
  }
  if (output !== undefined && !existsSync(dirname(output))) {
    terminal.err(`There is no folder ${dirname(output)}: make it first. Nothing was read.`);
    return EXIT.refused;
  }
  const answer = await client.read('v1/dead-letters/export', { namespace, queue });
  if (answer.kind !== 'ok') return noAnswer(context, answer);
  const sink = output === undefined ? new TerminalSink(context) : new FileSink(output);
  const progress = new Progress(terminal, false);
  let count = 0;
  try {
    for await (const line of linesOf(answer.body)) {
      if (line.startsWith('{"type":"error"')) throw new Error((JSON.parse(line) as { readonly detail: string }).detail);
      await sink.write(line);
      count += 1;
      progress.updateUnknown(several(count, 'dead letter'));
    }
    await sink.done();
  } catch (error) {
    progress.done();
    terminal.err(`The export broke off after ${several(count, 'dead letter')}: ${error instanceof Error ? error.message : String(error)}. Run the same command again.`);
    return sink.failed ? EXIT.refused : EXIT.unreachable;
  }
  progress.done();
  const unknown = count === 0 ? await unknownQueue(client, { namespace, queue }, context) : null;
  if (unknown !== null) return unknown;
  terminal.err(`${several(count, 'dead letter')}${output === undefined ? '' : ` in ${output}`}.`);
  return EXIT.fine;
}

interface Sink {
  /** It was the sink that failed. */
  readonly failed: boolean;
  write(line: string): Promise<void>;
  done(): Promise<void>;
}

class TerminalSink implements Sink {
  readonly failed = false;

  constructor(private readonly context: Context) {}

  write(line: string): Promise<void> {
    this.context.terminal.out(line);
    return Promise.resolve();
  }

  done(): Promise<void> {
    return Promise.resolve();
  }
}

class FileSink implements Sink {
  failed = false;
  private readonly stream;
  private readonly written: Promise<void>;

  constructor(private readonly file: string) {
    this.stream = createWriteStream(`${file}.part`);
    this.written = finished(this.stream);
    this.written.catch(() => (this.failed = true));
  }

  async write(line: string): Promise<void> {
    if (this.stream.write(`${line}\n`)) return;
    await Promise.race([once(this.stream, 'drain'), this.written]);
  }

  async done(): Promise<void> {
    this.stream.end();
    await this.written;
    renameSync(`${this.file}.part`, this.file);
  }
}
