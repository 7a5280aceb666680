const COLUMNS = `
  s.signal_id AS id, s.source, s.fingerprint, s.starts_ms, s.namespace, s.queue, s.figures, s.seen_ms, s.last_ms, s.times,
  s.resolved_ms, s.incident_id, s.settled, s.settled_until_ms, s.detail`;

/** Refused for what may be different by the next time it is told. */
const MAY_PASS = `s.settled IN ('queue_unknown', 'queue_ambiguous') AND excluded.settled IS NULL AND s.resolved_ms IS NULL`;

/**
 * In the order of their identities, so that two payloads lock alike. Resolved stays resolved: of several senders one may
 * still repeat that it fires.
 */
export const TELL = `
INSERT INTO jobwarden.signals AS s (identity, source, fingerprint, starts_ms, namespace, queue, figures, seen_ms, last_ms,
                                    resolved_ms, settled, detail)
SELECT t.identity, t.source, t.fingerprint, t.starts_ms, t.namespace, t.queue, t.figures, n.ms, n.ms,
       CASE WHEN NOT t.firing THEN n.ms END,
       coalesce(t.settled, CASE WHEN NOT t.firing THEN 'resolved_before_firing' END), t.detail
FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::boolean[], $9::text[], $10::text[])
  AS t (identity, source, fingerprint, starts_ms, namespace, queue, figures, firing, settled, detail),
  (SELECT jobwarden.lane_now() AS ms) AS n
ORDER BY t.identity
ON CONFLICT (identity) DO UPDATE SET
  times = s.times + 1,
  last_ms = excluded.last_ms,
  figures = CASE WHEN excluded.figures = '{}' OR s.resolved_ms IS NOT NULL THEN s.figures ELSE excluded.figures END,
  namespace = CASE WHEN ${MAY_PASS} THEN excluded.namespace ELSE s.namespace END,
  queue = CASE WHEN ${MAY_PASS} THEN excluded.queue ELSE s.queue END,
  detail = CASE WHEN ${MAY_PASS} THEN NULL ELSE s.detail END,
  resolved_ms = coalesce(s.resolved_ms, excluded.resolved_ms),
  settled = CASE WHEN ${MAY_PASS} THEN NULL
                 WHEN s.settled IS NULL AND s.incident_id IS NULL AND excluded.resolved_ms IS NOT NULL THEN 'over'
                 ELSE s.settled END
RETURNING ${COLUMNS}, encode(s.identity, 'hex') AS identity, s.times = 1 AS is_new`;

export const UNASSIGNED = `
SELECT ${COLUMNS} FROM jobwarden.signals s
WHERE resolved_ms IS NULL AND incident_id IS NULL AND (settled IS NULL OR settled = 'maintenance' OR settled_until_ms IS NOT NULL)
ORDER BY s.signal_id LIMIT 5000`;

export const ASSIGN = `
UPDATE jobwarden.signals SET incident_id = $2, settled = NULL, settled_until_ms = NULL, detail = NULL
WHERE signal_id = ANY ($1::bigint[]) AND incident_id IS NULL`;

export const SETTLE = `
UPDATE jobwarden.signals SET settled = $2, settled_until_ms = $3, detail = $4 WHERE signal_id = ANY ($1::bigint[]) AND incident_id IS NULL`;

export const STANDING = `
SELECT ${COLUMNS} FROM jobwarden.signals s WHERE incident_id = $1 AND resolved_ms IS NULL ORDER BY s.signal_id`;

export const EXPIRE = `
UPDATE jobwarden.signals SET resolved_ms = jobwarden.lane_now(),
  settled = CASE WHEN incident_id IS NULL AND settled IS NULL THEN 'silent' ELSE settled END
WHERE resolved_ms IS NULL AND last_ms < (SELECT jobwarden.lane_now()) - $1::bigint RETURNING 1 AS one`;

export const QUEUES_NAMED = `SELECT namespace, queue FROM jobwarden.queues WHERE queue = ANY ($1::text[])`;

export const NOW = `SELECT jobwarden.lane_now() AS now_ms`;

export const LIST = `SELECT ${COLUMNS} FROM jobwarden.signals s`;

/** By the words of `SIGNAL_STATES`. */
export const IN_STATE = {
  open: 's.resolved_ms IS NULL AND s.incident_id IS NULL AND s.settled IS NULL',
  standing: 's.resolved_ms IS NULL AND s.incident_id IS NOT NULL',
  settled: 's.incident_id IS NULL AND s.settled IS NOT NULL',
  resolved: 's.resolved_ms IS NOT NULL',
} as const;
