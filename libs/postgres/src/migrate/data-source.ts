import { DataSource } from 'typeorm';
import { Log0001 } from '../../../../migrations/0001-log.js';
import { Guards0002 } from '../../../../migrations/0002-guards.js';

/** TypeORM's part here: which migrations there are, which have run, and the table that says so. */
export function dataSource(url: string): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: 'jobwarden-migrate',
    migrations: [Log0001, Guards0002],
    migrationsTableName: 'jobwarden_migrations',
    migrationsTransactionMode: 'each',
    logging: false,
  });
}
