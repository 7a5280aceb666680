import { Database, migrate, migrateDown, progressLine, schemaStanding, type MigrationProgress } from '#libs/postgres';
import { withDatabase, type DatabaseAddress } from '../database/database-command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Context } from '../terminal/terminal.js';

export interface MigrateFlags {
  readonly down?: boolean;
  readonly to?: number;
  readonly clock?: 'real' | 'manual';
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** Longest wait for another process that migrates, and for locks of others. */
  readonly waitMs: number;
  readonly json?: boolean;
}

export async function runMigrate(flags: MigrateFlags, context: Context): Promise<ExitCode> {
  return await withDatabase(context, { create: true }, async (address) => {
    if (flags.dryRun === true) return await dryRun(address, flags, context);
    if (flags.down === true) return await down(address, flags, 1, context);
    if (flags.to === undefined) return await up(address, flags, context);
    const applied = await countApplied(address.url);
    if (flags.to < applied) return await down(address, flags, applied - flags.to, context);
    const exit = await up(address, flags, context);
    const now = await countApplied(address.url);
    if (exit !== EXIT.fine || flags.to === now) return exit;
    context.terminal.err(`There are ${now} migrations, not ${flags.to}; all of them are in force now.`);
    return EXIT.refused;
  });
}

async function up(
  { url, environment, shardsGiven }: DatabaseAddress,
  { clock, json, waitMs }: MigrateFlags,
  { terminal, signal }: Context,
): Promise<ExitCode> {
  const { ran, installation } = await migrate(url, {
    ...(shardsGiven && { shards: environment.shards }),
    ...(clock !== undefined && { clock }),
    waitMs,
    signal,
    onProgress: (progress) => tell(progress, terminal, json === true),
  });
  const { shards, clockMode } = installation;
  if (json === true) {
    terminal.out(JSON.stringify({ ran, shards, clock: clockMode }));
    return EXIT.fine;
  }
  terminal.out(
    `${ran.length === 0 ? 'The schema is up to date' : 'The schema is now up to date'}: ${shards} shards, ${clockMode} clock.`,
  );
  return EXIT.fine;
}

/** What has run is the result; what is waited for is not. */
function tell(progress: MigrationProgress, terminal: Context['terminal'], quiet: boolean): void {
  const line = progressLine(progress);
  if (progress.kind !== 'ran') terminal.err(line);
  else if (!quiet) terminal.out(line);
}

async function dryRun({ url }: DatabaseAddress, { json }: MigrateFlags, { terminal }: Context): Promise<ExitCode> {
  const { applied, pending, unknown } = await schemaStanding(url);
  if (json === true) terminal.out(JSON.stringify({ applied: applied.length, pending, unknown }));
  else {
    for (const name of unknown) terminal.out(`newer     ${name}`);
    for (const name of pending) terminal.out(`would run ${name}`);
    const beyond = unknown.length === 0 ? '' : ` ${unknown.length} are of a newer release.`;
    terminal.out(
      pending.length === 0 ? `The schema is up to date: ${applied.length} migrations are in force.${beyond}` : `${applied.length} are in force, ${pending.length} would run.${beyond}`,
    );
  }
  return pending.length === 0 ? EXIT.fine : EXIT.differences;
}

async function down(
  { url }: DatabaseAddress,
  { force, json }: MigrateFlags,
  steps: number,
  { terminal }: Context,
): Promise<ExitCode> {
  const applied = await countApplied(url);
  if (applied === 0) {
    terminal.err('No migration is in force: there is nothing to take back.');
    return EXIT.refused;
  }
  if (force !== true && (await holdsJobs(url))) {
    terminal.err(
      'This database holds jobs, which would be lost with their tables: add --force to take the migration back all the same.',
    );
    return EXIT.refused;
  }
  const taken = Math.min(steps, applied);
  await migrateDown(url, taken);
  if (json === true) terminal.out(JSON.stringify({ takenBack: taken, left: applied - taken }));
  else terminal.out(`Took back ${taken} of ${applied} migrations.`);
  return EXIT.fine;
}

const APPLIED = `SELECT count(*) AS count FROM public.jobwarden_migrations`;
const HOLDS_JOBS = `SELECT EXISTS (SELECT FROM jobwarden.jobs) AS holds`;
const THERE = `SELECT to_regclass($1) IS NOT NULL AS there`;

async function countApplied(url: string): Promise<number> {
  return await asked(url, 'public.jobwarden_migrations', 0, async (database) => {
    const [row] = await database.query<{ count: number }>(APPLIED);
    return row?.count ?? 0;
  });
}

async function holdsJobs(url: string): Promise<boolean> {
  return await asked(url, 'jobwarden.jobs', false, async (database) => {
    const [row] = await database.query<{ holds: boolean }>(HOLDS_JOBS);
    return row?.holds ?? false;
  });
}

/** `otherwise` where the table is not there yet. */
async function asked<T>(
  url: string,
  relation: string,
  otherwise: T,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = new Database({ url, poolSize: 1, applicationName: 'jobwarden-cli' });
  try {
    const [row] = await database.query<{ there: boolean }>(THERE, [relation]);
    return row?.there === true ? await work(database) : otherwise;
  } finally {
    await database.close();
  }
}
