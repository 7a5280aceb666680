import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Releases of workers that are out of service, and how far each replica has read of it. */
export class RefusedRevisions0019 implements MigrationInterface {
  readonly name = 'RefusedRevisions1764460000019';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0019-refused-revisions.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0019-refused-revisions.down.sql'));
  }
}
