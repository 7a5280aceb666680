/**
 * A native queue's word counts for so long after its last one: taps tell every few seconds, and one that has ended
 * would otherwise say for ever how many waited when it did.
 */
export const NATIVE_FRESH_MS = 120_000;

/** What the native queue of `q` said last, where that counts. */
export const NATIVE_OF = (column: string): string => `
   (SELECT s.${column} FROM jobwarden.queue_states s
    WHERE s.queue_id = q.queue_id AND s.reported_ms > (SELECT jobwarden.lane_now()) - ${String(NATIVE_FRESH_MS)})`;

/**
 * Jobs of `q` that wait for a worker. As the queue itself says, where it does; else by our own count, of which none is
 * only known to be none where whoever puts jobs in tells of it. NULL: unknown.
 */
export const WAITING_OF = `
(SELECT coalesce(${NATIVE_OF('waiting')},
   (SELECT CASE WHEN k.waiting > 0 OR q.fed THEN k.waiting END
    FROM (SELECT coalesce(sum(queued + requeued + retrying), 0)::bigint AS waiting
          FROM jobwarden.queue_counters c WHERE c.queue_id = q.queue_id) AS k)))`;
