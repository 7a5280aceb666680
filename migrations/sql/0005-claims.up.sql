-- Claims: a lease that was claimed is renewed with its token only.
ALTER TABLE jobwarden.leases ADD COLUMN token bigint;
COMMENT ON COLUMN jobwarden.leases.token IS 'of the claim that began it: whoever beats must name it; null = nobody claimed the attempt';

-- What operators let through of a queue. One row per queue that was ever paused; what was decided stays beside it.
CREATE TABLE jobwarden.queue_gates (
  queue_id    integer PRIMARY KEY,
  n           integer NOT NULL,
  gate        text NOT NULL CHECK (gate IN ('open', 'paused', 'throttled')),
  per_second  double precision CHECK ((per_second IS NULL) = (gate <> 'throttled')),
  reason      text NOT NULL,
  set_by      text NOT NULL,
  set_ms      bigint NOT NULL,
  resumed_ms  bigint NOT NULL DEFAULT 0,
  permits     double precision NOT NULL DEFAULT 0,
  permits_ms  bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
COMMENT ON COLUMN jobwarden.queue_gates.resumed_ms IS 'when it was last resumed: who waits for a start waits in full from then on';
COMMENT ON COLUMN jobwarden.queue_gates.permits IS 'claims that may go through, as of permits_ms; refilled by per_second';
CREATE TABLE jobwarden.queue_decisions (
  queue_id   integer NOT NULL,
  n          integer NOT NULL,
  type       text NOT NULL CHECK (type IN ('paused', 'throttled', 'resumed')),
  per_second double precision,
  reason     text NOT NULL,
  made_by    text NOT NULL,
  made_ms    bigint NOT NULL,
  PRIMARY KEY (queue_id, n)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.queue_gates, jobwarden.queue_decisions TO jobwarden_app;

-- Which database this is. A restored one is another: its log may lack what was acknowledged, and granted, before.
ALTER TABLE jobwarden.installation
  ADD COLUMN system_identifier text,
  ADD COLUMN timeline          integer,
  ADD COLUMN database_oid      bigint,
  ADD COLUMN log_oid           bigint,
  ADD COLUMN restored          text,
  ADD COLUMN restored_ms       bigint,
  ADD COLUMN observe_until_ms  bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN jobwarden.installation.restored IS 'what shows that the database was restored; null = nothing. Until `jobwarden recover` it is only observed';
COMMENT ON COLUMN jobwarden.installation.observe_until_ms IS 'after a recovery: nothing is decided and nothing goes out before';
