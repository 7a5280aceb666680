ALTER TABLE jobwarden.installation DROP COLUMN fold_version;
COMMENT ON COLUMN jobwarden.jobs.fold_version IS NULL;
COMMENT ON COLUMN jobwarden.replicas.fold_version IS NULL;
ALTER TABLE jobwarden.replicas DROP COLUMN name;
