import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** The fold version in force: two versions of the program side by side. */
export class FoldVersion0010 implements MigrationInterface {
  readonly name = 'FoldVersion1764400000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0010-fold-version.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0010-fold-version.down.sql'));
  }
}
