-- Many dead letters sent round again, at a rate, by a person: goes on where it stopped, whichever replica does the next step.
CREATE TABLE jobwarden.redrives (
  redrive_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue_id   integer NOT NULL,
  pattern_id bigint,
  kind       text,
  died_of    text,
  per_second integer NOT NULL CHECK (per_second > 0),
  forced     boolean NOT NULL,
  made_by    text NOT NULL,
  reason     text NOT NULL,
  started_ms bigint NOT NULL,
  ended_ms   bigint,
  status     text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'stopped', 'finished')),
  wanted     bigint NOT NULL,
  redriven   bigint NOT NULL DEFAULT 0,
  refused    bigint NOT NULL DEFAULT 0,
  refusals   text NOT NULL DEFAULT '{}',
  since_ms   bigint NOT NULL DEFAULT -1,
  job_key    bytea NOT NULL DEFAULT '\x',
  busy_until timestamptz NOT NULL DEFAULT '-infinity',
  CHECK ((ended_ms IS NULL) = (status = 'running'))
);
COMMENT ON COLUMN jobwarden.redrives.since_ms IS 'with job_key how far it got, in the order in which the jobs died';
COMMENT ON COLUMN jobwarden.redrives.busy_until IS 'whose step is under way: by the database''s clock';
CREATE INDEX redrives_running ON jobwarden.redrives (redrive_id) WHERE status = 'running';
GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.redrives TO jobwarden_app;
