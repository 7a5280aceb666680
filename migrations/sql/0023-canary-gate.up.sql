-- Run times of attempts that succeeded, beside `outcomes` and in the same stretches, while a queue has workers of more than
-- one release or track: what a canary is held against. Summed up and dropped with them.
CREATE TABLE jobwarden.outcome_run_times (
  queue_id integer NOT NULL,
  slot_ms  bigint NOT NULL,
  shard    smallint NOT NULL,
  kind     text NOT NULL,
  revision text NOT NULL,
  track    text NOT NULL,
  bucket   smallint NOT NULL,
  count    integer NOT NULL,
  PRIMARY KEY (queue_id, slot_ms, shard, kind, revision, track, bucket)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
COMMENT ON COLUMN jobwarden.outcome_run_times.bucket IS 'of a fixed log scale, as in `run_times`';
CREATE INDEX outcome_run_times_by_time ON jobwarden.outcome_run_times (slot_ms);

-- Rollouts that a controller has asked about, one per object: since when its canary is judged.
CREATE TABLE jobwarden.gate_rollouts (
  namespace text NOT NULL,
  name      text NOT NULL,
  checksum  text NOT NULL,
  began_ms  bigint NOT NULL,
  asked_ms  bigint NOT NULL,
  PRIMARY KEY (namespace, name)
);
COMMENT ON COLUMN jobwarden.gate_rollouts.namespace IS 'of the cluster';

-- Who has let a canary through although a postmortem is open, and why.
CREATE TABLE jobwarden.gate_overrides (
  override_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  target      text,
  namespace   text,
  queue       text,
  reason      text NOT NULL,
  set_by      text NOT NULL,
  set_ms      bigint NOT NULL,
  until_ms    bigint NOT NULL,
  CHECK ((target IS NULL) = (queue IS NOT NULL)),
  CHECK ((queue IS NULL) = (namespace IS NULL))
);
COMMENT ON COLUMN jobwarden.gate_overrides.target IS 'what is rolled back, or a queue of a namespace';
CREATE INDEX gate_overrides_by_time ON jobwarden.gate_overrides (until_ms);
GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.outcome_run_times, jobwarden.gate_rollouts TO jobwarden_app;
GRANT SELECT, INSERT, DELETE ON jobwarden.gate_overrides TO jobwarden_app;
