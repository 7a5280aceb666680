-- What was heard of in each stretch of lane time, by whose revision did it: rates, and what the cause of an incident is worked out
-- from. Written with the facts themselves. Rows are as many as stretches in which something happened, never as many as jobs:
-- stretches of 10 s by shard, which housekeeping sums up after an hour into stretches of 5 minutes (shard -1), and drops after 48 h.
CREATE TABLE jobwarden.outcomes (
  queue_id      integer NOT NULL,
  slot_ms       bigint NOT NULL,
  shard         smallint NOT NULL,
  kind          text NOT NULL,
  revision      text NOT NULL,
  track         text NOT NULL,
  queued        integer NOT NULL,
  started       integer NOT NULL,
  succeeded     integer NOT NULL,
  failed        integer NOT NULL,
  lost          integer NOT NULL,
  dead_lettered integer NOT NULL,
  write_refused integer NOT NULL,
  contradicted  integer NOT NULL,
  PRIMARY KEY (queue_id, slot_ms, shard, kind, revision, track)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
COMMENT ON COLUMN jobwarden.outcomes.revision IS 'of the worker; empty where none was named, `other` where there are too many';
COMMENT ON COLUMN jobwarden.outcomes.contradicted IS 'of those succeeded and failed: did not agree with what was told of the job before';
CREATE INDEX outcomes_by_time ON jobwarden.outcomes (slot_ms);

-- How each worker's process stood, once in 15 s of lane time, for an hour: what is left of those that have fallen silent.
CREATE TABLE jobwarden.worker_samples (
  worker_key   bytea NOT NULL,
  slot_ms      bigint NOT NULL,
  namespace    text NOT NULL,
  worker_id    text NOT NULL,
  revision     text,
  track        text,
  queues       text[] NOT NULL,
  heap_used    bigint,
  heap_limit   bigint,
  rss          bigint,
  loop_lag_ms  bigint,
  pool_in_use  bigint,
  pool_waiting bigint,
  lock_waits   text,
  PRIMARY KEY (worker_key, slot_ms)
);
COMMENT ON COLUMN jobwarden.worker_samples.lock_waits IS 'the longest few, as a JSON array of {resource, holder, waitedMs}';
CREATE INDEX worker_samples_by_time ON jobwarden.worker_samples (slot_ms);
GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.outcomes, jobwarden.worker_samples TO jobwarden_app;
