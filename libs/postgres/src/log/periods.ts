import type { Database } from '../database.js';

/** Length of a period, ms: one week. Retention drops whole periods, so this is also its grain. */
export const PERIOD_MS = 7 * 86_400_000;

export function periodOf(laneMs: number): number {
  return Math.floor(laneMs / PERIOD_MS);
}

/**
 * Partitions that are known to be there. A missing one is made outside the writer's transaction, which is then begun
 * again: made inside it, it would hold its lock on the log until that commits.
 */
export class Periods {
  private readonly known = new Set<number>();

  constructor(private readonly database: Database) {}

  /** Throws {@link PeriodMissing} where the period has to be made first. */
  require(period: number): void {
    if (!this.known.has(period)) throw new PeriodMissing(period);
  }

  /** Idempotent, and safe to call from many replicas at once. */
  async make(period: number): Promise<void> {
    await this.database.query('SELECT jobwarden.ensure_period($1)', [period]);
    this.known.add(period);
  }
}

export class PeriodMissing extends Error {
  constructor(readonly period: number) {
    super(`period ${String(period)} has no partition yet`);
    this.name = 'PeriodMissing';
  }
}
