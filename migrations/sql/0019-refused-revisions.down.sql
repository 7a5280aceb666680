ALTER TABLE jobwarden.replicas DROP COLUMN refusals_read;
ALTER TABLE jobwarden.installation DROP COLUMN refusals_version;
DROP TABLE jobwarden.refused_revisions;
