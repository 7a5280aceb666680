ALTER TABLE jobwarden.installation
  DROP COLUMN system_identifier, DROP COLUMN timeline, DROP COLUMN database_oid, DROP COLUMN log_oid,
  DROP COLUMN restored, DROP COLUMN restored_ms, DROP COLUMN observe_until_ms;
DROP TABLE jobwarden.queue_decisions;
DROP TABLE jobwarden.queue_gates;
ALTER TABLE jobwarden.leases DROP COLUMN token;
