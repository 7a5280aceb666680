import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** The log, its projection, and the operational tables. */
export class Log0001 implements MigrationInterface {
  readonly name = 'Log1764400000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0001-log.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0001-log.down.sql'));
  }
}
