import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Run times by whoever had them, and what the canary gate has to remember: rollouts, and what was let through by hand. */
export class CanaryGate0023 implements MigrationInterface {
  readonly name = 'CanaryGate1764460000023';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0023-canary-gate.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0023-canary-gate.down.sql'));
  }
}
