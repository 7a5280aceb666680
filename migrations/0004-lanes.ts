import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Lanes that are read by position, and incidents. */
export class Lanes0004 implements MigrationInterface {
  readonly name = 'Lanes1764400000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0004-lanes.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0004-lanes.down.sql'));
  }
}
