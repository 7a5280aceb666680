import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Lanes that an operator has told where to go on. */
export class SoughtLanes0011 implements MigrationInterface {
  readonly name = 'SoughtLanes1764460000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0011-sought-lanes.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0011-sought-lanes.down.sql'));
  }
}
