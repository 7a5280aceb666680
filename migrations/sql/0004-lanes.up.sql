-- Lanes of a broker: read by position, each as far as the append time of the last record stored.
ALTER TABLE jobwarden.lanes
  ADD COLUMN read_ms   bigint NOT NULL DEFAULT 0,
  ADD COLUMN end_at    bigint,
  ADD COLUMN origin    text NOT NULL DEFAULT '',
  ADD COLUMN stopped   text,
  ADD COLUMN holds     boolean NOT NULL DEFAULT true,
  ADD COLUMN opened_at timestamptz NOT NULL DEFAULT now();
COMMENT ON COLUMN jobwarden.lanes.next IS 'the position wanted next (a broker''s): moved in the transaction that stores what came before it';
COMMENT ON COLUMN jobwarden.lanes.read_ms IS 'append time of the last record stored; of brokers only';
COMMENT ON COLUMN jobwarden.lanes.end_at IS 'the position that the next record will get, as last seen';
COMMENT ON COLUMN jobwarden.lanes.origin IS 'the cluster whose positions these are';
COMMENT ON COLUMN jobwarden.lanes.stopped IS 'why nothing of it is read until an operator says where to go on';
COMMENT ON COLUMN jobwarden.lanes.holds IS 'false: given up by an operator, verdicts no longer wait for it';

-- Something that a person has to look at. A short history of steps, each with a number of its shard, like an event of a
-- job: order of numbers is order of commits, so they can be sent by a checkpoint.
CREATE TABLE jobwarden.incidents (
  incident_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text NOT NULL,
  subject     text NOT NULL,
  queue_id    integer,
  status      text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved')),
  summary     text NOT NULL,
  opened_ms   bigint NOT NULL,
  resolved_ms bigint,
  CHECK ((resolved_ms IS NULL) = (status = 'open'))
);
COMMENT ON COLUMN jobwarden.incidents.queue_id IS 'null: of the whole installation';
CREATE UNIQUE INDEX incidents_open ON jobwarden.incidents (kind, subject, coalesce(queue_id, 0)) WHERE status = 'open';
CREATE TABLE jobwarden.incident_steps (
  incident_id bigint NOT NULL REFERENCES jobwarden.incidents ON DELETE CASCADE,
  n           integer NOT NULL,
  type        text NOT NULL,
  shard       smallint NOT NULL,
  number      bigint NOT NULL,
  at_ms       bigint NOT NULL,
  made_by     text NOT NULL,
  reason      text NOT NULL,
  evidence    text,
  PRIMARY KEY (incident_id, n),
  UNIQUE (shard, number)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.incidents, jobwarden.incident_steps TO jobwarden_app;
ALTER TABLE jobwarden.publishers ADD COLUMN incident_checkpoint bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN jobwarden.publishers.incident_checkpoint IS 'how far the steps of incidents have gone out: nothing that holds jobs back holds them';
ALTER TABLE jobwarden.outbound ALTER COLUMN queue_id DROP NOT NULL;
ALTER TABLE jobwarden.outbound ADD CONSTRAINT outbound_of_queue CHECK (queue_id IS NOT NULL OR kind = 'incident');
ALTER TABLE jobwarden.outbound DROP CONSTRAINT outbound_kind_check;
ALTER TABLE jobwarden.outbound ADD CONSTRAINT outbound_kind_check
  CHECK (kind IN ('invalidation', 'enqueue', 'stop', 'dead-letter', 'incident'));
DROP INDEX jobwarden.outbound_incidents;
CREATE INDEX outbound_incidents ON jobwarden.outbound (shard, place) WHERE kind IN ('dead-letter', 'incident') AND place IS NOT NULL;
