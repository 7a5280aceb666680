import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Notices of what is stuck, gathered from the runs. */
export class StuckNotices0006 implements MigrationInterface {
  readonly name = 'StuckNotices1764400000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0006-stuck-notices.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0006-stuck-notices.down.sql'));
  }
}
