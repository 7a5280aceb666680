import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** What a run of isolation and rollback needs beside its incident's steps. */
export class Saga0020 implements MigrationInterface {
  readonly name = 'Saga1764460000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0020-saga.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0020-saga.down.sql'));
  }
}
