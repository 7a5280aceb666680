-- The log and its projection, and what stands beside them. Three kinds of table:
--   log and projection   events, jobs, queue_counters, run_times       folded, audited
--   operational          shards, lanes, replicas, leases, workers, verdicts, outbound, deliveries, quarantine …
--                                                                     rebuilt or bounded, never audited
--   bodies               bodies                                        erasable, referred to by hash, never read by the fold
--
-- Times are lane times in ms since the epoch (bigint, *_ms): they come from the database's clock, a broker, or a
-- manual clock, never from a client's, and are compared as numbers.

CREATE SCHEMA jobwarden;

CREATE TABLE jobwarden.installation (
  only_row        boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  shards          smallint NOT NULL CHECK (shards BETWEEN 1 AND 1024),
  epoch           bigint NOT NULL DEFAULT 0,
  hash_key        bytea NOT NULL,
  clock_mode      text NOT NULL DEFAULT 'real' CHECK (clock_mode IN ('real', 'manual')),
  clock_ms        bigint NOT NULL DEFAULT 0,
  actions_enabled boolean NOT NULL DEFAULT true,
  actions_reason  text NOT NULL DEFAULT '',
  actions_by      text NOT NULL DEFAULT '',
  retention_line  integer NOT NULL DEFAULT -2147483648,
  created_at      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN jobwarden.installation.retention_line IS 'periods below it are dropped; facts of such jobs are quarantined';

-- Lane time of HTTP: the database's clock, or the manual one.
CREATE FUNCTION jobwarden.lane_now() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN clock_mode = 'manual' THEN clock_ms
              ELSE (extract(epoch FROM clock_timestamp()) * 1000)::bigint END
  FROM jobwarden.installation
$$;

CREATE TABLE jobwarden.queues (
  queue_id  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace text NOT NULL,
  queue     text NOT NULL,
  UNIQUE (namespace, queue)
);

-- Position counters: taken last in each transaction and held to its commit, so number order is commit order.
CREATE TABLE jobwarden.shards (
  shard      smallint PRIMARY KEY,
  number     bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- One publisher per shard: the lease, its fence, how far it has published, and how many messages have gone out.
CREATE TABLE jobwarden.publishers (
  shard      smallint PRIMARY KEY,
  holder     uuid,
  until_ms   bigint NOT NULL DEFAULT 0,
  fence      bigint NOT NULL DEFAULT 0,
  checkpoint bigint NOT NULL DEFAULT 0,
  sent       bigint NOT NULL DEFAULT 0,
  pruned     bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
COMMENT ON COLUMN jobwarden.publishers.until_ms IS 'end of the lease, ms by the real clock, also where lane time is manual';
COMMENT ON COLUMN jobwarden.publishers.sent IS 'place of the last message; held to the commit, so order of places is order of commits';
COMMENT ON COLUMN jobwarden.publishers.pruned IS 'messages up to this place may be gone: a stream cannot be resumed below it';

-- Replicas that publish, for each one's fair share of the shards. Not all that live do.
CREATE TABLE jobwarden.publisher_replicas (
  replica_id uuid PRIMARY KEY,
  until_ms   bigint NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

CREATE TABLE jobwarden.events (
  period       integer NOT NULL,
  shard        smallint NOT NULL,
  number       bigint NOT NULL,
  job_key      bytea NOT NULL,
  event_key    bytea NOT NULL,
  content_hash bytea,
  type         smallint NOT NULL,
  n            integer,
  lane         smallint NOT NULL,
  lane_ms      bigint NOT NULL,
  goes_out     boolean NOT NULL,
  source       text NOT NULL,
  id           text NOT NULL,
  data         text NOT NULL,
  UNIQUE (job_key, event_key, period)
) PARTITION BY LIST (period);
-- A number is unique within its shard by each partition's own index (ensure_period makes it). One on this table would
-- have to hold the period too, and those few bytes keep PostgreSQL from filling the pages of ascending numbers.
CREATE INDEX events_going_out ON jobwarden.events (shard, number) WHERE goes_out;

CREATE TABLE jobwarden.bodies (
  period  integer NOT NULL,
  job_key bytea NOT NULL,
  hash    bytea NOT NULL,
  role    text NOT NULL,
  bytes   bytea,
  PRIMARY KEY (job_key, hash, period)
) PARTITION BY LIST (period);
COMMENT ON COLUMN jobwarden.bodies.bytes IS 'null = erased';

CREATE TABLE jobwarden.jobs (
  job_key       bytea PRIMARY KEY,
  shard         smallint NOT NULL,
  queue_id      integer NOT NULL,
  period        integer NOT NULL,
  job_id        text NOT NULL,
  kind          text,
  status        text NOT NULL DEFAULT 'queued',
  attempt       integer NOT NULL DEFAULT 1,
  n             integer NOT NULL DEFAULT 0,
  row_version   integer NOT NULL DEFAULT 0,
  fold_version  smallint NOT NULL DEFAULT 1,
  waits_for     text,
  since_ms      bigint NOT NULL DEFAULT 0,
  look_at_ms    bigint,
  worker        text,
  held_by       text,
  held_since_ms bigint,
  open_verdicts smallint NOT NULL DEFAULT 0,
  state         text NOT NULL DEFAULT '{}'
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
COMMENT ON COLUMN jobwarden.jobs.worker IS 'who holds the current attempt, while it is held';
COMMENT ON COLUMN jobwarden.jobs.held_by IS 'why a verdict that is due is not given: a lane not read far enough, an entry in quarantine';
COMMENT ON COLUMN jobwarden.jobs.held_since_ms IS 'when the held verdict became due';
CREATE INDEX jobs_due ON jobwarden.jobs (queue_id, look_at_ms) WHERE look_at_ms IS NOT NULL;
-- Of what waits, runs or failed. Jobs that succeeded are nearly all there are, and are asked for by their key.
CREATE INDEX jobs_by_standing ON jobwarden.jobs (queue_id, status, since_ms) WHERE status <> 'succeeded';
CREATE INDEX jobs_held ON jobwarden.jobs (worker) WHERE worker IS NOT NULL;
CREATE INDEX jobs_unresolved ON jobwarden.jobs (queue_id, held_since_ms) WHERE held_since_ms IS NOT NULL;
CREATE INDEX jobs_by_period ON jobwarden.jobs USING brin (period);

-- What is left of a job below the retention line.
CREATE TABLE jobwarden.job_summaries (
  job_key  bytea PRIMARY KEY,
  queue_id integer NOT NULL,
  job_id   text NOT NULL,
  status   text NOT NULL,
  attempt  integer NOT NULL,
  token    bigint NOT NULL,
  since_ms bigint NOT NULL
);

CREATE TABLE jobwarden.queue_counters (
  queue_id           integer NOT NULL,
  shard              smallint NOT NULL,
  queued             bigint NOT NULL DEFAULT 0,
  processing         bigint NOT NULL DEFAULT 0,
  restart_requested  bigint NOT NULL DEFAULT 0,
  failed             bigint NOT NULL DEFAULT 0,
  retrying           bigint NOT NULL DEFAULT 0,
  requeued           bigint NOT NULL DEFAULT 0,
  incomplete         bigint NOT NULL DEFAULT 0,
  succeeded          bigint NOT NULL DEFAULT 0,
  dead_lettered      bigint NOT NULL DEFAULT 0,
  cancelled          bigint NOT NULL DEFAULT 0,
  discarded          bigint NOT NULL DEFAULT 0,
  attempts_succeeded bigint NOT NULL DEFAULT 0,
  attempts_failed    bigint NOT NULL DEFAULT 0,
  attempts_lost      bigint NOT NULL DEFAULT 0,
  retries            bigint NOT NULL DEFAULT 0,
  dead_letters       bigint NOT NULL DEFAULT 0,
  anomalies          bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (queue_id, shard)
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE jobwarden.run_times (
  queue_id integer NOT NULL,
  shard    smallint NOT NULL,
  kind     text NOT NULL,
  bucket   smallint NOT NULL,
  count    bigint NOT NULL,
  PRIMARY KEY (queue_id, shard, kind, bucket)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Lanes: ways in. next = the position wanted next (a broker's); gap_end_ms = end of the last time nobody listened.
CREATE TABLE jobwarden.lanes (
  lane       smallint PRIMARY KEY,
  name       text NOT NULL UNIQUE,
  next       bigint NOT NULL DEFAULT 0,
  gap_end_ms bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 20);
INSERT INTO jobwarden.lanes (lane, name) VALUES (0, 'http'), (1, 'inside');

CREATE TABLE jobwarden.replicas (
  replica_id     uuid PRIMARY KEY,
  started_at     timestamptz NOT NULL DEFAULT now(),
  beat_at        timestamptz NOT NULL DEFAULT now(),
  http_read_ms   bigint NOT NULL DEFAULT 0,
  fold_version   smallint NOT NULL,
  roles          text NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
COMMENT ON COLUMN jobwarden.replicas.http_read_ms IS 'every request that arrived before this lane time has been appended or answered';

-- The newest heartbeat per (job, attempt): a maximum, so order does not matter. A lease that names a worker row
-- (worker_key) is also renewed by that worker's own beats, so writes grow with workers, not with running jobs.
CREATE TABLE jobwarden.leases (
  job_key    bytea NOT NULL,
  attempt    integer NOT NULL,
  beat_ms    bigint NOT NULL,
  lease_ms   bigint,
  worker_key bytea,
  lane       smallint NOT NULL,
  progress   text,
  PRIMARY KEY (job_key, attempt)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX leases_of_worker ON jobwarden.leases (worker_key) WHERE worker_key IS NOT NULL;

CREATE TABLE jobwarden.workers (
  worker_key  bytea PRIMARY KEY,
  namespace   text NOT NULL,
  worker_id   text NOT NULL,
  incarnation text,
  revision    text,
  track       text,
  beat_ms     bigint NOT NULL,
  lane        smallint NOT NULL,
  held_hash   bytea,
  unknown     text,
  runtime     text,
  row_version integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);
COMMENT ON COLUMN jobwarden.workers.unknown IS 'jobs it says to hold that are unknown, or at an attempt above the current one (JSON)';

CREATE TABLE jobwarden.queue_states (
  queue_id      integer PRIMARY KEY,
  waiting       bigint,
  oldest_age_ms bigint,
  paused        boolean,
  reported_ms   bigint NOT NULL
);

CREATE TABLE jobwarden.queue_levels (
  queue_id   integer NOT NULL,
  action     text NOT NULL,
  level      text NOT NULL,
  file_level text NOT NULL,
  reason     text NOT NULL,
  set_by     text NOT NULL,
  set_ms     bigint NOT NULL,
  PRIMARY KEY (queue_id, action)
);
COMMENT ON COLUMN jobwarden.queue_levels.file_level IS 'the policy file''s value when this was set: wins until that changes';

-- Would-haves (kind act below level act) and reports (starved): graded by later facts.
CREATE TABLE jobwarden.verdicts (
  verdict_id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_key          bytea NOT NULL,
  queue_id         integer NOT NULL,
  attempt          integer NOT NULL,
  kind             text NOT NULL CHECK (kind IN ('would-have', 'report')),
  verdict          text,
  reason           text NOT NULL,
  action           text,
  level            text,
  decision         text,
  threshold_source text,
  threshold_ms     bigint,
  worker           text,
  first_ms         bigint NOT NULL,
  last_ms          bigint NOT NULL,
  times            integer NOT NULL DEFAULT 1,
  grade            text NOT NULL DEFAULT 'open' CHECK (grade IN ('open', 'confirmed', 'wrong')),
  graded_ms        bigint,
  UNIQUE (job_key, attempt, kind, reason)
);
CREATE INDEX verdicts_open ON jobwarden.verdicts (queue_id) WHERE grade = 'open' AND kind = 'would-have';
CREATE INDEX verdicts_by_queue ON jobwarden.verdicts (queue_id, first_ms);

CREATE TABLE jobwarden.reconciliations (
  run_id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  started_at   timestamptz NOT NULL DEFAULT now(),
  lane_ms      bigint NOT NULL,
  trigger      text NOT NULL,
  looked       integer NOT NULL,
  decided      integer NOT NULL,
  would_have   integer NOT NULL,
  held         integer NOT NULL,
  rows         text NOT NULL
);
COMMENT ON COLUMN jobwarden.reconciliations.rows IS 'JSON array of what the run decided, would have decided, reported or held';

-- What has gone out, or will not: one row per message, written by the shard's publisher under its fence.
CREATE TABLE jobwarden.outbound (
  shard    smallint NOT NULL,
  number   bigint NOT NULL,
  kind     text NOT NULL CHECK (kind IN ('invalidation', 'enqueue', 'stop', 'dead-letter')),
  queue_id integer NOT NULL,
  job_key  bytea NOT NULL,
  outcome  text NOT NULL CHECK (outcome IN ('sent', 'skipped', 'parked')),
  place    bigint CHECK ((place IS NULL) = (outcome <> 'sent')),
  retry    boolean NOT NULL DEFAULT false CHECK (outcome = 'parked' OR NOT retry),
  detail   text,
  lane_ms  bigint NOT NULL,
  sent_at  timestamptz NOT NULL DEFAULT now(),
  message  text NOT NULL,
  PRIMARY KEY (shard, number, kind)
);
COMMENT ON COLUMN jobwarden.outbound.place IS 'order of sending within the shard: what a stream is read by';
COMMENT ON COLUMN jobwarden.outbound.retry IS 'an operator wants it tried again';
CREATE INDEX outbound_commands ON jobwarden.outbound (shard, place) WHERE kind IN ('enqueue', 'stop') AND place IS NOT NULL;
CREATE INDEX outbound_invalidations ON jobwarden.outbound (shard, place) WHERE kind = 'invalidation' AND place IS NOT NULL;
CREATE INDEX outbound_incidents ON jobwarden.outbound (shard, place) WHERE kind = 'dead-letter' AND place IS NOT NULL;
CREATE INDEX outbound_parked ON jobwarden.outbound (job_key, number) WHERE outcome = 'parked';
CREATE INDEX outbound_retry ON jobwarden.outbound (shard, number) WHERE retry;

-- Whoever deletes: a stream must know that it cannot be resumed there.
CREATE FUNCTION jobwarden.note_pruned() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE jobwarden.publishers p SET pruned = greatest(p.pruned, g.place)
  FROM (SELECT shard, max(place) AS place FROM gone WHERE place IS NOT NULL GROUP BY shard) g
  WHERE p.shard = g.shard;
  RETURN NULL;
END
$$;
CREATE TRIGGER outbound_pruned AFTER DELETE ON jobwarden.outbound REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION jobwarden.note_pruned();

CREATE TABLE jobwarden.deliveries (
  webhook   text NOT NULL,
  shard     smallint NOT NULL,
  number    bigint NOT NULL,
  kind      text NOT NULL,
  job_key   bytea NOT NULL,
  tries     integer NOT NULL DEFAULT 0,
  next_at   timestamptz NOT NULL DEFAULT now(),
  claim     uuid,
  outcome   text NOT NULL DEFAULT 'waiting' CHECK (outcome IN ('waiting', 'parked')),
  parked_at timestamptz,
  detail    text,
  PRIMARY KEY (webhook, shard, number, kind)
);
CREATE INDEX deliveries_due ON jobwarden.deliveries (webhook, next_at) WHERE outcome = 'waiting';
CREATE INDEX deliveries_by_job ON jobwarden.deliveries (webhook, job_key, number);
COMMENT ON TABLE jobwarden.deliveries IS 'messages a webhook has not acknowledged yet; acknowledged ones are deleted';
COMMENT ON COLUMN jobwarden.deliveries.claim IS 'of the replica that is sending it, until next_at';

CREATE TABLE jobwarden.quarantine (
  quarantine_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  received_at   timestamptz NOT NULL DEFAULT now(),
  lane          smallint NOT NULL,
  origin        text NOT NULL,
  reason        text NOT NULL,
  detail        text NOT NULL,
  namespace     text,
  job_keys      bytea[] NOT NULL DEFAULT '{}',
  queue         text,
  job_id        text,
  content_type  text NOT NULL,
  bytes         bytea NOT NULL,
  outcome       text NOT NULL DEFAULT 'open' CHECK (outcome IN ('open', 'replayed', 'dismissed')),
  closed_by     text,
  closed_reason text,
  closed_at     timestamptz,
  digest        bytea NOT NULL UNIQUE
);
COMMENT ON COLUMN jobwarden.quarantine.digest IS 'of (lane, origin, reason, bytes): the same broken message sent again is one entry';
COMMENT ON COLUMN jobwarden.quarantine.job_keys IS 'every job it names: verdicts on them are held while it is open';
CREATE INDEX quarantine_holds ON jobwarden.quarantine USING gin (job_keys) WHERE outcome = 'open';

CREATE TABLE jobwarden.drifts (
  drift_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  found_at   timestamptz NOT NULL DEFAULT now(),
  job_key    bytea NOT NULL,
  stored     text NOT NULL,
  refolded   text NOT NULL,
  repaired   boolean NOT NULL
);
