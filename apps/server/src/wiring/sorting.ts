import { Loop, SortDeadLetters } from '#libs/application';
import { PgDeadLetterIndex, type Database } from '#libs/postgres';
import type { Logger } from 'pino';

/** Nobody waits for a report of patterns as for a command. */
const SORT_EVERY_MS = 1_000;

/** Sorts dead letters by what they died of. */
export function buildSorting(database: Database, logger: Logger): Loop {
  const sort = new SortDeadLetters(new PgDeadLetterIndex(database));
  return new Loop(() => sort.turn(), {
    idleMs: SORT_EVERY_MS,
    onError: (error) => logger.warn({ err: error }, 'dead letters could not be sorted, which is repeated'),
  });
}
