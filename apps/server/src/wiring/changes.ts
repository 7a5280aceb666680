import { Changes } from '#libs/application';
import { PgChangeStore, type Database } from '#libs/postgres';
import type { Logger } from 'pino';

/** Told over and over, it would fill the log. */
const WARNED_EVERY_MS = 60_000;

export function buildChanges(database: Database, log: Logger): Changes {
  let warnedMs = -Infinity;
  return new Changes(new PgChangeStore(database), {
    onError: (error) => {
      if (performance.now() - warnedMs < WARNED_EVERY_MS) return;
      warnedMs = performance.now();
      log.warn({ err: error }, 'changes cannot be read; the dashboard does not notice them');
    },
  });
}
