import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** What people answer, sign and mean to do when an incident is over. */
export class Postmortems0021 implements MigrationInterface {
  readonly name = 'Postmortems1764460000021';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0021-postmortems.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0021-postmortems.down.sql'));
  }
}
