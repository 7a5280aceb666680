import { DataSource, type Logger } from 'typeorm';
import { Log0001 } from '../../../../migrations/0001-log.js';
import { Guards0002 } from '../../../../migrations/0002-guards.js';
import { Lanes0004 } from '../../../../migrations/0004-lanes.js';
import { Claims0005 } from '../../../../migrations/0005-claims.js';
import { StuckNotices0006 } from '../../../../migrations/0006-stuck-notices.js';
import { GuardsOfRecovery0007 } from '../../../../migrations/0007-guards-of-recovery.js';
import { Levels0008 } from '../../../../migrations/0008-levels.js';
import { FallbackQueues0009 } from '../../../../migrations/0009-fallback-queues.js';
import { FoldVersion0010 } from '../../../../migrations/0010-fold-version.js';
import { Redrives0013 } from '../../../../migrations/0013-redrives.js';
import { KeptDeadLetters0016 } from '../../../../migrations/0016-kept-dead-letters.js';
import { Outcomes0017 } from '../../../../migrations/0017-outcomes.js';
import { Signals0018 } from '../../../../migrations/0018-signals.js';
import { Evidence0022 } from '../../../../migrations/0022-evidence.js';
import { CanaryGate0023 } from '../../../../migrations/0023-canary-gate.js';
import { RefusedRevisions0019 } from '../../../../migrations/0019-refused-revisions.js';
import { Saga0020 } from '../../../../migrations/0020-saga.js';
import { Postmortems0021 } from '../../../../migrations/0021-postmortems.js';
import { SoughtLanes0011 } from '../../../../migrations/0011-sought-lanes.js';
import { DeadLetterPatterns0012 } from '../../../../migrations/0012-dead-letter-patterns.js';
import { QueueSamples0025 } from '../../../../migrations/0025-queue-samples.js';
import { PatternReviews0027 } from '../../../../migrations/0027-pattern-reviews.js';
import { ActionsSince0028 } from '../../../../migrations/0028-actions-since.js';
import { StuckJobs0029 } from '../../../../migrations/0029-stuck-jobs.js';
import { MIGRATIONS_SCHEMA, MIGRATIONS_TABLE } from './standing.js';

const MIGRATIONS = [
  Log0001, Guards0002, Lanes0004, Claims0005, StuckNotices0006, GuardsOfRecovery0007, Levels0008, FallbackQueues0009, FoldVersion0010, SoughtLanes0011, DeadLetterPatterns0012, Redrives0013, KeptDeadLetters0016, Outcomes0017, Signals0018, RefusedRevisions0019, Saga0020, Postmortems0021, Evidence0022, CanaryGate0023,
  QueueSamples0025, PatternReviews0027, ActionsSince0028, StuckJobs0029,
];

/** Names of this program's migrations, oldest first. */
export const KNOWN_MIGRATIONS: readonly string[] = MIGRATIONS.map((Migration) => new Migration().name).sort((a, b) => timeOf(a) - timeOf(b));

/** A name ends with the time by which TypeORM orders. */
function timeOf(name: string): number {
  return Number(/\d{13}$/u.exec(name)?.[0] ?? 0);
}

/** Whoever calls tells of a failure, once and in words; standard output is not TypeORM's. */
const silent: Logger = {
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};

/** TypeORM's part here: which migrations there are, which have run, and the table that says so. */
export function dataSource(url: string): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: 'jobwarden-migration',
    migrations: [...MIGRATIONS],
    schema: MIGRATIONS_SCHEMA,
    migrationsTableName: MIGRATIONS_TABLE,
    migrationsTransactionMode: 'each',
    logger: silent,
  });
}
