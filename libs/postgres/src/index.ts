// PostgreSQL: the log, its projection, leases, lanes and schedules; migrations.
export { Database, type DatabaseOptions, type Queryable, type Row } from './database.js';
export { translated } from './errors.js';
export { migrate, migrateDown, readInstallation, type Installation, type Migrated, type MigrateOptions } from './migrate/migrate.js';
export { PgLogStore, type PgLogStoreOptions } from './log/pg-log-store.js';
export { QueueIds } from './log/queue-ids.js';
export { PERIOD_MS, periodOf } from './log/periods.js';
export { PgQuarantineStore } from './log/pg-quarantine-store.js';
export { COUNTER_COLUMNS } from './log/counters.js';
export { PgLeaseStore, workerKey } from './leases/pg-lease-store.js';
export { PgLaneClock } from './lanes/pg-lane-clock.js';
export { PgDueStore } from './reconcile/pg-due-store.js';
export { pgReadModels } from './read/read-models.js';
export { PgReconciliationStore } from './reconcile/pg-reconciliation-store.js';
export { PgQueueStateStore } from './log/pg-queue-state-store.js';
export { PgHousekeeping } from './housekeeping/pg-housekeeping.js';
