import { RetryableError, TerminalError } from '#libs/application';
import { formatFaults, readEnvironment, type Environment } from '#libs/config';
import { startEmbeddedPostgres } from '#libs/embedded-postgres';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Context } from '../terminal/terminal.js';
import { findEmbedded } from './embedded.js';

/** Of the environment only these concern a command; a service's other variables may be set or not. */
const OURS = ['NODE_ENV', 'JOBWARDEN_DATABASE_URL', 'JOBWARDEN_DATABASE_POOLING', 'JOBWARDEN_DATA_DIR', 'JOBWARDEN_CONFIG', 'JOBWARDEN_SHARDS'];

export interface DatabaseAddress {
  readonly url: string;
  readonly environment: Environment;
  /** JOBWARDEN_SHARDS is set: asked for, not merely the default. */
  readonly shardsGiven: boolean;
}

/**
 * Runs `work` on JOBWARDEN_DATABASE_URL, or on the embedded database of JOBWARDEN_DATA_DIR: the service's own server
 * while one runs, else one that is started for this command alone. Failures become exit codes here.
 */
export async function withDatabase(
  context: Context,
  options: { readonly create: boolean },
  work: (address: DatabaseAddress) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { env, terminal } = context;
  const read = readEnvironment(Object.fromEntries(OURS.map((name) => [name, env[name]])));
  if (!read.ok) {
    terminal.err(formatFaults(read.faults));
    return EXIT.refused;
  }
  const environment = read.value;
  const address = { environment, shardsGiven: (env['JOBWARDEN_SHARDS'] ?? '').trim() !== '' };
  try {
    if (environment.database.mode === 'external')
      return await work({ ...address, url: environment.database.url.reveal() });
    return await onEmbedded(context, environment.database.dataDir, options.create, (url) => work({ ...address, url }));
  } catch (error) {
    return failed(context, error);
  }
}

async function onEmbedded(
  { terminal }: Context,
  dataDir: string,
  create: boolean,
  work: (url: string) => Promise<ExitCode>,
): Promise<ExitCode> {
  const found = findEmbedded(dataDir);
  if (found.kind === 'running') return await work(found.url);
  if (found.kind === 'closed') {
    terminal.err(found.detail);
    return EXIT.refused;
  }
  if (found.kind === 'absent' && !create) {
    terminal.err(
      `There is no database under ${dataDir}: name one in JOBWARDEN_DATABASE_URL, or the service's folder in JOBWARDEN_DATA_DIR.`,
    );
    return EXIT.unreachable;
  }
  const server = await startEmbeddedPostgres({ dataDir: found.dataDir });
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

/** SQLSTATEs of a server that is there and says no. */
const REFUSED: ReadonlySet<string> = new Set(['28P01', '28000', '42501', '42P01', '3F000']);
const UNREACHABLE: ReadonlySet<string> = new Set(['3D000', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

function failed({ terminal }: Context, error: unknown): ExitCode {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === '42P01' || code === '3F000') {
    terminal.err(`The database has no tables of Jobwarden: run \`jobwarden migrate\` (${message}).`);
    return EXIT.refused;
  }
  if (code === '42703') {
    terminal.err(`The database is of an older release: run \`jobwarden migrate\` (${message}).`);
    return EXIT.refused;
  }
  if (error instanceof RetryableError && error.code === 'migration_ended') {
    terminal.err(`Ended: ${message}. What has run is in force.`);
    return EXIT.differences;
  }
  if (error instanceof RetryableError && error.code !== 'conflict') {
    terminal.err(`The database does not answer: ${message}.`);
    return EXIT.unreachable;
  }
  if (UNREACHABLE.has(code)) {
    terminal.err(`The database cannot be reached: ${message}.`);
    return EXIT.unreachable;
  }
  if (code === '28P01' || code === '28000') {
    terminal.err(`The database refuses the user or the password: ${message}.`);
    return EXIT.refused;
  }
  if (code === '42501') {
    terminal.err(`The database's user lacks a right: ${message}. Which it needs: docs/upgrade.md.`);
    return EXIT.refused;
  }
  terminal.err(error instanceof TerminalError ? `Refused (${error.code}): ${message}.` : `Failed: ${message}`);
  return error instanceof TerminalError || REFUSED.has(code) ? EXIT.refused : EXIT.differences;
}
