-- Queues that an incident of saturation is about, and what they let in before its run throttled them.
CREATE TABLE jobwarden.incident_queues (
  incident_id       bigint NOT NULL REFERENCES jobwarden.incidents ON DELETE CASCADE,
  queue_id          integer NOT NULL,
  saturated         boolean NOT NULL,
  joined_ms         bigint NOT NULL,
  before_gate       text CHECK (before_gate IN ('open', 'paused', 'throttled')),
  before_per_second double precision,
  normal_per_second double precision,
  share_percent     double precision,
  PRIMARY KEY (incident_id, queue_id)
);
COMMENT ON COLUMN jobwarden.incident_queues.saturated IS 'false: it has the same target, and is refused the same revision';
COMMENT ON COLUMN jobwarden.incident_queues.before_gate IS 'null: the run has never throttled it';
COMMENT ON COLUMN jobwarden.incident_queues.share_percent IS 'of normal_per_second, that the run lets in; null: it holds nothing back';
CREATE INDEX incident_queues_held ON jobwarden.incident_queues (incident_id) WHERE share_percent IS NOT NULL;

-- Every try of something that a run does: written before it is done, so that no kill makes it be tried too often.
CREATE TABLE jobwarden.incident_tries (
  incident_id bigint NOT NULL REFERENCES jobwarden.incidents ON DELETE CASCADE,
  n           integer NOT NULL,
  try         integer NOT NULL,
  act         text NOT NULL,
  calls       integer NOT NULL,
  at_ms       bigint NOT NULL,
  PRIMARY KEY (incident_id, n, try)
);
COMMENT ON COLUMN jobwarden.incident_tries.n IS 'of the step that announced it';
COMMENT ON COLUMN jobwarden.incident_tries.calls IS 'that write to the cluster';

GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.incident_queues, jobwarden.incident_tries TO jobwarden_app;
