import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Dead letters by what they died of. */
export class DeadLetterPatterns0012 implements MigrationInterface {
  readonly name = 'DeadLetterPatterns1764460000012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0012-dead-letter-patterns.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0012-dead-letter-patterns.down.sql'));
  }
}
