import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Append-only by role and trigger; partitions and retention by functions of the owner's. */
export class Guards0002 implements MigrationInterface {
  readonly name = 'Guards1764400000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0002-guards.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0002-guards.down.sql'));
  }
}
