import type { RanAgain } from '#libs/domain';
import type { Queryable } from '../database.js';

/** Commands of a shard that are looked through, the newest first: there is no index by time. */
const LOOKED_THROUGH = 2_000;

/**
 * Commands of these queues in that time, with the invalidation that each of them names as its own requeue's. Acknowledged: it is
 * there, was sent, and not after the command. `complete`: the look reached back to the beginning in every shard.
 */
const RAN_AGAIN = `
WITH newest AS MATERIALIZED (
  SELECT p.shard, o.number, o.kind, o.queue_id, o.lane_ms
  FROM jobwarden.publishers p CROSS JOIN LATERAL (
    SELECT number, kind, queue_id, lane_ms FROM jobwarden.outbound
    WHERE shard = p.shard AND kind IN ('enqueue', 'stop') AND place IS NOT NULL ORDER BY place DESC LIMIT $4) o),
again AS (
  SELECT m.named, i.outcome, i.sent_at <= c.sent_at AS before
  FROM newest n JOIN jobwarden.outbound c ON c.shard = n.shard AND c.number = n.number AND c.kind = 'enqueue'
  CROSS JOIN LATERAL (SELECT c.message::jsonb->'data'->'invalidation' AS named) m
  LEFT JOIN jobwarden.outbound i ON i.shard = (m.named->>'shard')::smallint AND i.number = (m.named->>'number')::bigint AND i.kind = 'invalidation'
  WHERE n.kind = 'enqueue' AND n.queue_id = ANY ($1::integer[]) AND n.lane_ms >= $2 AND n.lane_ms < $3),
parked AS (
  SELECT kind, count(*)::integer AS messages FROM jobwarden.outbound
  WHERE outcome = 'parked' AND kind IN ('invalidation', 'enqueue') AND queue_id = ANY ($1::integer[]) AND lane_ms >= $2 AND lane_ms < $3 GROUP BY kind)
SELECT count(*)::integer AS commands,
       count(*) FILTER (WHERE outcome = 'sent' AND before)::integer AS invalidated,
       count(*) FILTER (WHERE named IS NULL)::integer AS "withoutKeys",
       coalesce((SELECT messages FROM parked WHERE kind = 'invalidation'), 0) AS "parkedInvalidations",
       coalesce((SELECT messages FROM parked WHERE kind = 'enqueue'), 0) AS "parkedCommands",
       coalesce((SELECT bool_and(s.commands < $4 OR s.oldest_ms < $2)
                 FROM (SELECT count(*) AS commands, min(lane_ms) AS oldest_ms FROM newest GROUP BY shard) s), true) AS complete
FROM again`;

/** `time`: queues, from, to. null: so much has gone out since that not all of it was looked through. */
export async function ranAgain(database: Queryable, time: readonly unknown[], most = LOOKED_THROUGH): Promise<RanAgain | null> {
  const [row] = await database.query<RanAgain & { readonly complete: boolean }>(RAN_AGAIN, [...time, most]);
  if (row === undefined) throw new Error('a count answered no row');
  const { complete, ...again } = row;
  return complete ? again : null;
}
