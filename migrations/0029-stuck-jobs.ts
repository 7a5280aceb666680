import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Jobs that were found stuck, by their key, and the notice that each went into. */
export class StuckJobs0029 implements MigrationInterface {
  readonly name = 'StuckJobs1764460000029';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0029-stuck-jobs.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0029-stuck-jobs.down.sql'));
  }
}
