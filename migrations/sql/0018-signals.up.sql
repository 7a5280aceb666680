-- Every alert that asks for a rollback, and what the evaluator found: one row, however often and by whomever it is told.
CREATE TABLE jobwarden.signals (
  signal_id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  identity         bytea NOT NULL UNIQUE,
  source           text NOT NULL,
  fingerprint      text NOT NULL,
  starts_ms        bigint,
  namespace        text,
  queue            text,
  figures          text NOT NULL,
  seen_ms          bigint NOT NULL,
  last_ms          bigint NOT NULL,
  times            integer NOT NULL DEFAULT 1,
  resolved_ms      bigint,
  incident_id      bigint,
  settled          text,
  settled_until_ms bigint,
  detail           text
);
COMMENT ON COLUMN jobwarden.signals.identity IS 'hash of source, fingerprint and start';
COMMENT ON COLUMN jobwarden.signals.starts_ms IS 'by the clock of whoever told it; null: it could not be read';
COMMENT ON COLUMN jobwarden.signals.settled IS 'why it leads to nothing; null: it has not been settled';
COMMENT ON COLUMN jobwarden.signals.settled_until_ms IS 'looked at anew from then on; null: settled for good, or as long as a maintenance window lasts';
CREATE INDEX signals_unassigned ON jobwarden.signals (signal_id) WHERE resolved_ms IS NULL AND incident_id IS NULL
  AND (settled IS NULL OR settled = 'maintenance' OR settled_until_ms IS NOT NULL);
CREATE INDEX signals_standing ON jobwarden.signals (incident_id) WHERE resolved_ms IS NULL;

CREATE TABLE jobwarden.maintenance_windows (
  window_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace text,
  queue     text,
  target    text,
  from_ms   bigint NOT NULL,
  until_ms  bigint NOT NULL,
  reason    text NOT NULL,
  made_by   text NOT NULL,
  made_ms   bigint NOT NULL,
  ended_ms  bigint,
  ended_by  text,
  CHECK (until_ms > from_ms),
  CHECK (queue IS NULL OR namespace IS NOT NULL)
);
COMMENT ON COLUMN jobwarden.maintenance_windows.namespace IS 'null, as are queue and target: whatever it is';

-- How each queue stands by the evaluator's rule. Queue 0 is the evaluator itself: when it last looked, locked while it looks.
CREATE TABLE jobwarden.saturations (
  queue_id       integer PRIMARY KEY,
  looked_ms      bigint NOT NULL,
  over_ms        bigint,
  firing_ms      bigint,
  recovering_ms  bigint
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
INSERT INTO jobwarden.saturations (queue_id, looked_ms) VALUES (0, 0);

-- Without it a count of none is a guess: workers alone tell of jobs that run, never of those that wait.
ALTER TABLE jobwarden.queues ADD COLUMN fed boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN jobwarden.queues.fed IS 'whoever puts jobs into it tells of them';
UPDATE jobwarden.queues SET fed = true;

GRANT SELECT, INSERT, UPDATE, DELETE ON
  jobwarden.signals, jobwarden.maintenance_windows, jobwarden.saturations TO jobwarden_app;
