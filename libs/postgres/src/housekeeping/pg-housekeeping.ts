import type { Housekeeping, HousekeepingAges, HousekeepingReport } from '#libs/application';
import type { Database } from '../database.js';
import { isConflict } from '../errors.js';
import { periodOf } from '../log/periods.js';
import { sumUpOutcomes } from '../outcomes/sum-up.js';
import { PURGE_LEASES, PURGE_WORKERS } from '../leases/statements.js';

const PURGES: readonly (readonly [string, keyof HousekeepingAges])[] = [
  [PURGE_LEASES, 'leasesMs'],
  [PURGE_WORKERS, 'leasesMs'],
  ['DELETE FROM jobwarden.reconciliations WHERE lane_ms < (SELECT jobwarden.lane_now()) - $1', 'runsMs'],
  ['DELETE FROM jobwarden.stuck_jobs WHERE found_at < clock_timestamp() - make_interval(secs => $1::float8 / 1000)', 'runsMs'],
  [
    `DELETE FROM jobwarden.quarantine
     WHERE outcome <> 'open' AND closed_at < clock_timestamp() - make_interval(secs => $1::float8 / 1000)`,
    'quarantineMs',
  ],
  [`DELETE FROM jobwarden.incidents WHERE status = 'resolved' AND resolved_ms < (SELECT jobwarden.lane_now()) - $1`, 'incidentsMs'],
  [`DELETE FROM jobwarden.follow_ups WHERE done_ms < (SELECT jobwarden.lane_now()) - $1`, 'incidentsMs'],
  ['DELETE FROM jobwarden.outcomes WHERE slot_ms < (SELECT jobwarden.lane_now()) - $1', 'outcomesMs'],
  ['DELETE FROM jobwarden.outcome_run_times WHERE slot_ms < (SELECT jobwarden.lane_now()) - $1', 'outcomesMs'],
  ['DELETE FROM jobwarden.gate_rollouts WHERE asked_ms < (SELECT jobwarden.lane_now()) - $1', 'outcomesMs'],
  ['DELETE FROM jobwarden.gate_overrides WHERE until_ms < (SELECT jobwarden.lane_now()) - $1', 'verdictsMs'],
  ['DELETE FROM jobwarden.worker_samples WHERE slot_ms < (SELECT jobwarden.lane_now()) - $1', 'samplesMs'],
  ['DELETE FROM jobwarden.queue_samples WHERE minute < ((SELECT jobwarden.lane_now()) - $1) / 60000', 'queueSamplesMs'],
  ['DELETE FROM jobwarden.signals WHERE last_ms < (SELECT jobwarden.lane_now()) - $1', 'incidentsMs'],
  ['DELETE FROM jobwarden.maintenance_windows WHERE until_ms < (SELECT jobwarden.lane_now()) - $1', 'incidentsMs'],
  ['DELETE FROM jobwarden.dead_letter_hours WHERE hour < ((SELECT jobwarden.lane_now()) - $1) / 3600000', 'verdictsMs'],
  [`DELETE FROM jobwarden.redrives WHERE status <> 'running' AND ended_ms < (SELECT jobwarden.lane_now()) - $1`, 'verdictsMs'],
  [
    `DELETE FROM jobwarden.evidence_chunks c USING jobwarden.evidence e
     WHERE e.evidence_id = c.evidence_id AND e.asked_ms < (SELECT jobwarden.lane_now()) - $1`,
    'evidenceMs',
  ],
  ['DELETE FROM jobwarden.evidence WHERE asked_ms < (SELECT jobwarden.lane_now()) - $1', 'incidentsMs'],
  ['DELETE FROM jobwarden.refused_revisions WHERE lifted_ms < (SELECT jobwarden.lane_now()) - $1', 'verdictsMs'],
  ['DELETE FROM jobwarden.dead_letter_pattern_reviews WHERE at_ms < (SELECT jobwarden.lane_now()) - $1', 'verdictsMs'],
  ['DELETE FROM jobwarden.dead_letter_reviews WHERE at_ms < (SELECT jobwarden.lane_now()) - $1', 'verdictsMs'],
  [
    `DELETE FROM jobwarden.dead_letter_patterns p WHERE p.last_ms < (SELECT jobwarden.lane_now()) - $1
     AND NOT EXISTS (SELECT FROM jobwarden.dead_letters d WHERE d.pattern_id = p.pattern_id)`,
    'verdictsMs',
  ],
  ['DELETE FROM jobwarden.verdicts WHERE last_ms < (SELECT jobwarden.lane_now()) - $1', 'verdictsMs'],
  [
    `DELETE FROM jobwarden.outbound o
     WHERE o.sent_at < clock_timestamp() - make_interval(secs => $1::float8 / 1000) AND o.outcome <> 'parked'
     AND NOT EXISTS (SELECT FROM jobwarden.deliveries d
                     WHERE d.shard = o.shard AND d.number = o.number AND d.kind = o.kind)`,
    'outboundMs',
  ],
];

/** For so long outcomes are kept in stretches of 10 s, by shard. */
const FINE_OUTCOMES_MS = 3_600_000;

/** The line only moves forward: a shorter retention lets more go, a longer one later brings nothing back. */
const MOVE_LINE = `
UPDATE jobwarden.installation SET retention_line = greatest(retention_line, $1) RETURNING retention_line`;

/** Partitions of the log by name: the period is the name's tail (`m` stands for minus). */
const PERIODS = `
SELECT replace(substr(c.relname, length('events_p') + 1), 'm', '-')::integer AS period
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'jobwarden.events'::regclass ORDER BY 1`;

/**
 * A dump reads the log for hours, and a partition can only go when nobody reads its table: whoever writes would wait behind
 * that. So it goes later. Where the age of a transaction may not be seen, the wait for the lock is short instead.
 */
const BEING_READ = `
SELECT EXISTS (
  SELECT FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.relation = 'jobwarden.events'::regclass
    AND l.granted AND a.xact_start < clock_timestamp() - interval '1 second') AS held`;
const DROP = 'SELECT jobwarden.drop_period($1) AS dropped';

export class PgHousekeeping implements Housekeeping {
  constructor(private readonly database: Database) {}

  async run(ages: HousekeepingAges): Promise<HousekeepingReport> {
    const [clock] = await this.database.query<{ clock_mode: string; now_ms: number }>(
      'SELECT clock_mode, jobwarden.lane_now() AS now_ms FROM jobwarden.installation',
    );
    if (clock === undefined || clock.clock_mode === 'manual') return { droppedPeriods: [], keptPeriods: [] };
    for (const [statement, age] of PURGES) await this.database.query(statement, [ages[age]]);
    await sumUpOutcomes(this.database, clock.now_ms - FINE_OUTCOMES_MS);
    return await this.dropPeriods(periodOf(clock.now_ms - ages.retentionMs));
  }

  /** Periods that ended before the line: drops each, or keeps it while a job in it is live. */
  private async dropPeriods(line: number): Promise<HousekeepingReport> {
    await this.database.query(MOVE_LINE, [line]);
    await this.database.query('DELETE FROM jobwarden.dead_letters WHERE period < $1', [line]);
    const droppedPeriods: number[] = [];
    const keptPeriods: number[] = [];
    for (const { period } of await this.database.query<{ period: number }>(PERIODS)) {
      if (period >= line) continue;
      ((await this.dropped(period)) ? droppedPeriods : keptPeriods).push(period);
    }
    return { droppedPeriods, keptPeriods };
  }

  private async dropped(period: number): Promise<boolean> {
    const [reading] = await this.database.query<{ held: boolean }>(BEING_READ);
    if (reading?.held === true) return false;
    try {
      return await this.database.transaction(async (tx) => {
        await tx.query(`SET LOCAL lock_timeout = '500ms'`);
        const [row] = await tx.query<{ dropped: boolean }>(DROP, [period]);
        return row?.dropped === true;
      });
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }
}
