import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Budgets, and what holds a queue's recovery. */
export class GuardsOfRecovery0007 implements MigrationInterface {
  readonly name = 'GuardsOfRecovery1764400000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0007-guards-of-recovery.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0007-guards-of-recovery.down.sql'));
  }
}
