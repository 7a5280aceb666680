import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** No period of the log is dropped while a dead letter is in it. */
export class KeptDeadLetters0016 implements MigrationInterface {
  readonly name = 'KeptDeadLetters1764460000016';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0016-kept-dead-letters.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0016-kept-dead-letters.down.sql'));
  }
}
