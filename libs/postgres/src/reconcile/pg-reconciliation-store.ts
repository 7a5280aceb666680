import type { ReconciliationRun, ReconciliationStore } from '#libs/application';
import type { Database } from '../database.js';

const PUT = `
INSERT INTO jobwarden.reconciliations (lane_ms, trigger, looked, decided, would_have, held, rows)
VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING run_id`;

const PURGE = `DELETE FROM jobwarden.reconciliations WHERE lane_ms < (SELECT jobwarden.lane_now()) - $1`;

export class PgReconciliationStore implements ReconciliationStore {
  constructor(private readonly database: Database) {}

  async put(run: ReconciliationRun): Promise<number> {
    const { laneMs, trigger, looked, decided, wouldHave, held, rows } = run;
    const values = [laneMs, trigger, looked, decided, wouldHave, held, JSON.stringify(rows)];
    const [row] = await this.database.prepared<{ run_id: number }>('reconciliation_put', PUT, values);
    return row?.run_id ?? 0;
  }

  /** Runs older than `ageMs`. */
  async purge(ageMs: number): Promise<void> {
    await this.database.query(PURGE, [ageMs]);
  }
}
