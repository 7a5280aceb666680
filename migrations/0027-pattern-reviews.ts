import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlOf } from './sql.js';

/** Who did what with dead letters: all that was said of a pattern, not only the newest, and who stopped a run of redrives. */
export class PatternReviews0027 implements MigrationInterface {
  readonly name = 'PatternReviews1764460000027';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0027-pattern-reviews.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(sqlOf('0027-pattern-reviews.down.sql'));
  }
}
