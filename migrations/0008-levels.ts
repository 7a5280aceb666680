import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Approvals of would-haves, grades by time, and acts that may turn out wrong. */
export class Levels0008 implements MigrationInterface {
  readonly name = 'Levels1764400000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0008-levels.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0008-levels.down.sql'));
  }
}
