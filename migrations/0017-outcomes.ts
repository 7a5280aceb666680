import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** What happened in each stretch of time by whose revision, and how workers stood. */
export class Outcomes0017 implements MigrationInterface {
  readonly name = 'Outcomes1764460000017';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0017-outcomes.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0017-outcomes.down.sql'));
  }
}
