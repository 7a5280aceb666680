import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** That a queue has gone critical, as alerts and the evaluator tell it, and when nobody wants to hear it. */
export class Signals0018 implements MigrationInterface {
  readonly name = 'Signals1764460000018';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0018-signals.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0018-signals.down.sql'));
  }
}
