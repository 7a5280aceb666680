-- What keeps recovery from being the incident: budgets, and per queue whether its recovery is held or only probed.

CREATE TABLE jobwarden.budgets (
  queue_id integer PRIMARY KEY,
  tokens   double precision NOT NULL,
  at_ms    bigint NOT NULL,
  tail_ms  bigint NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
COMMENT ON TABLE jobwarden.budgets IS 'token buckets; queue 0 is the whole installation. Taken behind the counters and before the shards';
COMMENT ON COLUMN jobwarden.budgets.at_ms IS 'when it held so many tokens';
COMMENT ON COLUMN jobwarden.budgets.tail_ms IS 'the last place in the line of those who wait for a token; a hint';

CREATE TABLE jobwarden.queue_guards (
  queue_id       integer PRIMARY KEY,
  blackout_ms    bigint,
  evidence       text,
  counts_from_ms bigint NOT NULL DEFAULT 0,
  assessed_ms    bigint NOT NULL DEFAULT 0,
  incident_open  boolean NOT NULL DEFAULT false,
  ended_by       text,
  ended_reason   text,
  probing_ms     bigint,
  probes_left    integer NOT NULL DEFAULT 0,
  probed_ms      bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
COMMENT ON COLUMN jobwarden.queue_guards.blackout_ms IS 'since when recovery is held; null: it is not';
COMMENT ON COLUMN jobwarden.queue_guards.counts_from_ms IS 'end of the last blackout: who was lost before it counts for no other';
COMMENT ON COLUMN jobwarden.queue_guards.incident_open IS 'what has been told of it: when it differs from blackout_ms, something is still to be told';
COMMENT ON COLUMN jobwarden.queue_guards.probing_ms IS 'since when only probes go out; null: they all do';

-- Who held leases of the queue and fell silent: for one lease, or as long as recovery is held.
CREATE TABLE jobwarden.lost_workers (
  queue_id integer NOT NULL,
  worker   text NOT NULL,
  lost_ms  bigint NOT NULL,
  jobs     integer NOT NULL,
  http     boolean NOT NULL,
  PRIMARY KEY (queue_id, worker)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- A few of the requeued attempts of each queue: how many of them fail again.
CREATE TABLE jobwarden.rerun_samples (
  queue_id integer NOT NULL,
  job_key  bytea NOT NULL,
  attempt  integer NOT NULL,
  at_ms    bigint NOT NULL,
  PRIMARY KEY (queue_id, job_key, attempt)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

GRANT SELECT, INSERT, UPDATE, DELETE ON
  jobwarden.budgets, jobwarden.queue_guards, jobwarden.lost_workers, jobwarden.rerun_samples TO jobwarden_app;
COMMENT ON COLUMN jobwarden.jobs.held_by IS 'why a decision that is due is not made: a lane not read far enough, an entry in quarantine, a blackout, a budget';
