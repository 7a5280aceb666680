DELETE FROM jobwarden.deliveries WHERE kind = 'incident';
DELETE FROM jobwarden.outbound WHERE kind = 'incident';
ALTER TABLE jobwarden.outbound DROP CONSTRAINT outbound_of_queue;
ALTER TABLE jobwarden.outbound ALTER COLUMN queue_id SET NOT NULL;
ALTER TABLE jobwarden.publishers DROP COLUMN incident_checkpoint;
DROP INDEX jobwarden.outbound_incidents;
CREATE INDEX outbound_incidents ON jobwarden.outbound (shard, place) WHERE kind = 'dead-letter' AND place IS NOT NULL;
ALTER TABLE jobwarden.outbound DROP CONSTRAINT outbound_kind_check;
ALTER TABLE jobwarden.outbound ADD CONSTRAINT outbound_kind_check
  CHECK (kind IN ('invalidation', 'enqueue', 'stop', 'dead-letter'));
DROP TABLE jobwarden.incident_steps;
DROP TABLE jobwarden.incidents;
DELETE FROM jobwarden.lanes WHERE lane > 1;
ALTER TABLE jobwarden.lanes
  DROP COLUMN read_ms, DROP COLUMN end_at, DROP COLUMN origin, DROP COLUMN stopped, DROP COLUMN holds, DROP COLUMN opened_at;
