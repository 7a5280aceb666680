import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Claims, queues that operators pause, and which database this is. */
export class Claims0005 implements MigrationInterface {
  readonly name = 'Claims1764400000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0005-claims.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0005-claims.down.sql'));
  }
}
