import { isStuck, type ReconciliationRun, type ReconciliationStore } from '#libs/application';
import { jobKeyHex } from '#libs/contracts';
import { hexes } from '../arrays.js';
import type { Database } from '../database.js';

/** With the jobs that it found stuck, in key order, as whoever gathers them writes them. */
const PUT = `
WITH run AS (
  INSERT INTO jobwarden.reconciliations (lane_ms, trigger, looked, decided, would_have, held, rows)
  VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING run_id),
stuck AS (
  INSERT INTO jobwarden.stuck_jobs (job_key, run_id)
  SELECT job_key, run_id FROM run, unnest($8::bytea[]) AS job_key ORDER BY job_key
  ON CONFLICT (job_key) DO UPDATE SET run_id = excluded.run_id, found_at = excluded.found_at)
SELECT run_id FROM run`;

const PURGE = `DELETE FROM jobwarden.reconciliations WHERE lane_ms < (SELECT jobwarden.lane_now()) - $1`;

export class PgReconciliationStore implements ReconciliationStore {
  constructor(private readonly database: Database) {}

  async put(run: ReconciliationRun): Promise<number> {
    const { laneMs, trigger, looked, decided, wouldHave, held, rows } = run;
    const values = [laneMs, trigger, looked, decided, wouldHave, held, JSON.stringify(rows), hexes(trigger === 'dry-run' ? [] : stuckKeys(run))];
    const [row] = await this.database.prepared<{ run_id: number }>('reconciliation_put', PUT, values);
    return row?.run_id ?? 0;
  }

  /** Runs older than `ageMs`. */
  async purge(ageMs: number): Promise<void> {
    await this.database.query(PURGE, [ageMs]);
  }
}

/** Each once: one statement writes no row twice. */
function stuckKeys({ rows }: ReconciliationRun): readonly string[] {
  return [...new Set(rows.filter(isStuck).map(({ ref }) => jobKeyHex(ref)))];
}
