import { setTimeout as delay } from 'node:timers/promises';
import { RetryableError } from '#libs/application';
import type { Environment } from '#libs/config';
import { checkSchema, migrate, progressLine, type Installation, type MigrationProgress } from '#libs/postgres';
import type { Logger } from 'pino';

const DATABASE_RETRY_MS = 1_000;

export interface SchemaParts {
  readonly environment: Environment;
  readonly log: Logger;
  /** Of the process's end. */
  readonly signal: AbortSignal;
}

/**
 * The schema as this release needs it: brought up to date, or with JOBWARDEN_MIGRATE=off only looked at. A database that is
 * not there yet is waited for: in a cluster it may start later than we do. null: the process ends before.
 */
export async function schemaInForce(url: string, { environment, log, signal }: SchemaParts): Promise<Installation | null> {
  const { shards } = environment;
  const onProgress = (progress: MigrationProgress) => tell(progress, log);
  const hasEnded = () => signal.aborted;
  for (let told = false; !hasEnded(); told = true) {
    try {
      if (environment.migrate === 'off') return await checkSchema(url, { shards });
      return (await migrate(url, { shards, signal, onProgress })).installation;
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      if (!told && !hasEnded()) log.warn({ reason: error.message }, 'the database is not there yet; trying again every second');
      await delay(DATABASE_RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}

function tell(progress: MigrationProgress, log: Logger): void {
  const line = `migration: ${progressLine(progress)}`;
  if (progress.kind === 'running' || progress.kind === 'ran') log.info(line);
  else log.warn(line);
}
