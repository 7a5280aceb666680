-- The fold version in force: what rows of new jobs are stored in, by every program. A newer program can write it too.
ALTER TABLE jobwarden.installation ADD COLUMN fold_version smallint NOT NULL DEFAULT 1;
COMMENT ON COLUMN jobwarden.installation.fold_version IS 'in force: rows of new jobs and refolded rows are stored in it; raised by `jobwarden fold-version --switch`';
COMMENT ON COLUMN jobwarden.jobs.fold_version IS 'the version that state is stored in; another one only by a fold of the whole log';
COMMENT ON COLUMN jobwarden.replicas.fold_version IS 'the newest version that this replica knows';
ALTER TABLE jobwarden.replicas ADD COLUMN name text NOT NULL DEFAULT '';
COMMENT ON COLUMN jobwarden.replicas.name IS 'host and process';
