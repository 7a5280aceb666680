import type { Queryable } from '../database.js';
import { OUTCOME_COLUMNS } from './outcome-cells.js';

/** Stretches of this length are what is left of older ones, ms. */
const COARSE_MS = 300_000;
/** Of all shards together. */
const ALL_SHARDS = -1;

const COLUMNS = Object.values(OUTCOME_COLUMNS);

/** How many coarse stretches have fine ones left in them, the oldest first. */
const OLD = `
SELECT DISTINCT slot_ms - slot_ms % ${String(COARSE_MS)} AS from_ms FROM jobwarden.outcomes
WHERE shard <> ${String(ALL_SHARDS)} AND slot_ms < $1 ORDER BY 1 LIMIT 1000`;

/** What comes late, by a lane that was far behind, is added to what is there. */
const SUM_UP = `
WITH gone AS (
  DELETE FROM jobwarden.outcomes WHERE slot_ms >= $1 AND slot_ms < $1 + ${String(COARSE_MS)} AND shard <> ${String(ALL_SHARDS)}
  RETURNING *)
INSERT INTO jobwarden.outcomes AS o (queue_id, slot_ms, shard, kind, revision, track, ${COLUMNS.join(', ')})
SELECT queue_id, $1::bigint, ${String(ALL_SHARDS)}, kind, revision, track, ${COLUMNS.map((c) => `sum(${c})`).join(', ')}
FROM gone GROUP BY queue_id, kind, revision, track ORDER BY queue_id, kind, revision, track
ON CONFLICT (queue_id, slot_ms, shard, kind, revision, track)
DO UPDATE SET ${COLUMNS.map((c) => `${c} = o.${c} + excluded.${c}`).join(', ')}`;

const SUM_UP_RUN_TIMES = `
WITH gone AS (
  DELETE FROM jobwarden.outcome_run_times WHERE slot_ms >= $1 AND slot_ms < $1 + ${String(COARSE_MS)} AND shard <> ${String(ALL_SHARDS)}
  RETURNING *)
INSERT INTO jobwarden.outcome_run_times AS r (queue_id, slot_ms, shard, kind, revision, track, bucket, count)
SELECT queue_id, $1::bigint, ${String(ALL_SHARDS)}, kind, revision, track, bucket, sum(count)
FROM gone GROUP BY queue_id, kind, revision, track, bucket ORDER BY queue_id, kind, revision, track, bucket
ON CONFLICT (queue_id, slot_ms, shard, kind, revision, track, bucket) DO UPDATE SET count = r.count + excluded.count`;

/** Sums up what lies in stretches of 5 minutes that ended before `beforeMs`, one statement each. Safe on any number of replicas. */
export async function sumUpOutcomes(database: Queryable, beforeMs: number): Promise<void> {
  const line = beforeMs - (((beforeMs % COARSE_MS) + COARSE_MS) % COARSE_MS);
  for (const { from_ms } of await database.query<{ from_ms: number }>(OLD, [line])) {
    await database.query(SUM_UP, [from_ms]);
    await database.query(SUM_UP_RUN_TIMES, [from_ms]);
  }
}
