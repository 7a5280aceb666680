import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Which queue's workers a command is meant for, where it is not the job's own. */
export class FallbackQueues0009 implements MigrationInterface {
  readonly name = 'FallbackQueues1764400000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0009-fallback-queues.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0009-fallback-queues.down.sql'));
  }
}
