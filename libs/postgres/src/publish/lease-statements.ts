/** Leases of the publishers. All by the database's real clock, also where lane time is a manual one. */

export const IN_FORCE = 'SELECT fold_version FROM jobwarden.installation';

export const ENLIST = `
WITH gone AS (
  DELETE FROM jobwarden.publisher_replicas
  WHERE replica_id <> $1 AND until_ms < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 60000)
INSERT INTO jobwarden.publisher_replicas (replica_id, until_ms)
VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2::bigint)
ON CONFLICT (replica_id) DO UPDATE SET until_ms = excluded.until_ms`;

/** Rows that a batch is just writing under are passed over: they are held anyhow, and renewed next time. */
export const RENEW = `
UPDATE jobwarden.publishers SET until_ms = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2::bigint
WHERE shard IN (SELECT shard FROM jobwarden.publishers WHERE holder = $1 ORDER BY shard FOR UPDATE SKIP LOCKED)`;

/** A replica's fair share, rounded up, and what it holds of it. */
export const SHARE = `
SELECT ceil((SELECT count(*) FROM jobwarden.publishers)::numeric / greatest(1,
         (SELECT count(*) FROM jobwarden.publisher_replicas
          WHERE until_ms >= (extract(epoch FROM clock_timestamp()) * 1000)::bigint)))::integer AS share,
       (SELECT count(*) FROM jobwarden.publishers WHERE holder = $1)::integer AS held`;

export const GIVE_BACK = `
UPDATE jobwarden.publishers SET holder = NULL, until_ms = 0
WHERE shard IN (SELECT shard FROM jobwarden.publishers WHERE holder = $1 ORDER BY shard DESC LIMIT $2
                FOR UPDATE SKIP LOCKED)`;

/** Free ones: given back, or their holder's lease has ended. The fence shuts the old holder out. */
export const TAKE = `
UPDATE jobwarden.publishers
SET holder = $1, until_ms = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2::bigint, fence = fence + 1
WHERE shard IN (SELECT shard FROM jobwarden.publishers
                WHERE holder IS NULL OR until_ms < (extract(epoch FROM clock_timestamp()) * 1000)::bigint
                ORDER BY shard LIMIT $3 FOR UPDATE SKIP LOCKED)`;

export const HELD = `
SELECT shard, holder::text AS holder, fence, checkpoint, incident_checkpoint AS "incidentCheckpoint" FROM jobwarden.publishers WHERE holder = $1 ORDER BY shard`;

export const RELEASE = `
WITH left_now AS (DELETE FROM jobwarden.publisher_replicas WHERE replica_id = $1)
UPDATE jobwarden.publishers SET holder = NULL, until_ms = 0 WHERE holder = $1`;
