import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** How each queue stood, minute by minute, for a day. */
export class QueueSamples0025 implements MigrationInterface {
  readonly name = 'QueueSamples1764460000025';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0025-queue-samples.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0025-queue-samples.down.sql'));
  }
}
