import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DeadLetterFixture } from '#libs/contracts';
import { testSkeleton } from '../dead-letters/test-skeleton.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type ServiceOptions } from '../rest/client.js';
import { typedPath } from '../terminal/paths.js';
import { printable } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface FixtureFlags extends ServiceOptions {
  readonly namespace?: string;
  readonly output: string;
  readonly handler?: string;
  readonly attempt?: number;
  readonly force?: boolean;
}

const FIXTURE = 'fixture.json';
const TEST = 'job.test.mjs';

/** One dead letter as a fixture with a test that can be run: written into a folder. */
export async function runFixture(queue: string, id: string, flags: FixtureFlags, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const { namespace, attempt, force = false } = flags;
  const output = typedPath(flags.output, context.env);
  const handler = flags.handler === undefined ? undefined : typedPath(flags.handler, context.env);
  const client = ServiceClient.of(flags, context);
  const taken = force ? undefined : [FIXTURE, TEST].map((name) => join(output, name)).find((file) => existsSync(file));
  if (typeof client === 'string' || taken !== undefined) {
    terminal.err(typeof client === 'string' ? client : `${String(taken)} is there already, and may be yours: take another folder, or --force`);
    return EXIT.refused;
  }
  const answer = await client.read('v1/dead-letters/one/fixture', { namespace, queue, id, attempt: attempt === undefined ? undefined : String(attempt) });
  if (answer.kind !== 'ok') return noAnswer(context, answer);
  const text = await textOf(answer.body);
  const { failure, missing } = JSON.parse(text) as DeadLetterFixture;
  const told = failure === null ? null : `${failure.class}: ${failure.message}`;
  try {
    mkdirSync(output, { recursive: true });
    writeFileSync(join(output, FIXTURE), text);
    writeFileSync(join(output, TEST), testSkeleton({ queue, id, failure: told, handler: importPath(handler, output) }));
  } catch (error) {
    terminal.err(`${output} cannot be written to: ${error instanceof Error ? error.message : String(error)}`);
    return EXIT.refused;
  }
  terminal.out(printable(`${join(output, FIXTURE)}: ${queue}/${id}${told === null ? '' : `, ${told.slice(0, 200)}`}`));
  terminal.out(`${join(output, TEST)}: node --test ${join(output, TEST)}`);
  if (missing !== undefined) terminal.err(`There is no payload in it (${missing}): the handler is called with undefined.`);
  if (handler === undefined) terminal.err(`Say where your handler is: HANDLER in ${TEST}, or --handler.`);
  return EXIT.fine;
}

/** As an import from within the folder has it. A path is relative to where the command runs, as paths of commands are. */
function importPath(handler: string | undefined, output: string): string {
  if (handler === undefined) return './handler.mjs';
  const path = relative(resolve(output), resolve(handler));
  if (isAbsolute(path)) return pathToFileURL(path).href;
  const posix = path.split(sep).join('/');
  return posix.startsWith('.') ? posix : `./${posix}`;
}

/** As it came: read into values and written again, its numbers would be others. */
async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
