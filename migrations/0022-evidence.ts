import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** What one bad worker knew of itself: reports and heaps, asked for by an incident. */
export class Evidence0022 implements MigrationInterface {
  readonly name = 'Evidence1764460000022';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0022-evidence.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0022-evidence.down.sql'));
  }
}
