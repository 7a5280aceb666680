import { describe, expect, it } from 'vitest';
import { Database } from '#libs/postgres';
import { useTestDatabase } from '#libs/testing';

/** Rows updated all the time, of a table that stays small: after so many dead rows, whatever its size. */
const SMALL = (threshold: number) => ({ autovacuum_vacuum_scale_factor: '0', autovacuum_vacuum_threshold: String(threshold) });

/** Room on the page for the next version of a row spares its indexes; `fillfactor` is left out where rows are not updated in place. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  jobs: { autovacuum_vacuum_scale_factor: '0.02', autovacuum_analyze_scale_factor: '0.02' },
  leases: { fillfactor: '60', autovacuum_vacuum_scale_factor: '0.01', autovacuum_vacuum_threshold: '1000' },
  workers: { fillfactor: '50', autovacuum_vacuum_scale_factor: '0.01', autovacuum_vacuum_threshold: '500' },
  shards: { fillfactor: '10', ...SMALL(1_000) },
  publishers: { fillfactor: '10', ...SMALL(1_000) },
  publisher_replicas: { fillfactor: '20', ...SMALL(500) },
  replicas: { fillfactor: '20', ...SMALL(500) },
  queue_counters: { fillfactor: '40', ...SMALL(1_000) },
  outcomes: { fillfactor: '60', autovacuum_vacuum_scale_factor: '0.05', autovacuum_vacuum_threshold: '1000' },
  outcome_run_times: { fillfactor: '60', autovacuum_vacuum_scale_factor: '0.05', autovacuum_vacuum_threshold: '1000' },
  run_times: { fillfactor: '60', ...SMALL(1_000) },
  budgets: { fillfactor: '20', ...SMALL(500) },
  queue_guards: { fillfactor: '20', ...SMALL(500) },
  queue_gates: { fillfactor: '20', ...SMALL(500) },
  saturations: { fillfactor: '50', ...SMALL(500) },
  lost_workers: SMALL(500),
  rerun_samples: SMALL(500),
};

describe('tables whose rows are written again and again (F3)', () => {
  const place = useTestDatabase();

  it('are vacuumed long before the server would by itself, each by its own values', async () => {
    const database = new Database({ url: place.url, poolSize: 1 });
    try {
      const rows = await database.query<{ table: string; options: readonly string[] }>(
        `SELECT relname::text AS "table", reloptions AS options FROM pg_class
         WHERE relnamespace = 'jobwarden'::regnamespace AND relkind = 'r' AND reloptions IS NOT NULL`,
      );
      const found = Object.fromEntries(rows.map(({ table, options }) => [table, Object.fromEntries(options.map((o) => o.split('=')))]));
      expect(found).toMatchObject(EXPECTED);
      // None is tuned by a migration and forgotten here.
      const tuned = rows.filter(({ options }) => options.some((o) => o.startsWith('autovacuum_'))).map(({ table }) => table);
      expect(tuned.sort()).toEqual(Object.keys(EXPECTED).sort());
    } finally {
      await database.close();
    }
  });
});
