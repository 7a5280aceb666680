import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Many dead letters sent round again at a rate. */
export class Redrives0013 implements MigrationInterface {
  readonly name = 'Redrives1764460000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0013-redrives.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0013-redrives.down.sql'));
  }
}
