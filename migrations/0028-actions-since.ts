import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Since when the stop switch stands as it does. */
export class ActionsSince0028 implements MigrationInterface {
  readonly name = 'ActionsSince1764460000028';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0028-actions-since.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0028-actions-since.down.sql'));
  }
}
