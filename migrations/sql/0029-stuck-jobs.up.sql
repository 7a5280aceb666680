-- Whether webhooks were told of one job: found by its key, where the rows of the runs had to be searched, as text.
CREATE TABLE jobwarden.stuck_jobs (
  job_key   bytea PRIMARY KEY,
  run_id    bigint NOT NULL,
  found_at  timestamptz NOT NULL DEFAULT now(),
  notice_id text
);
COMMENT ON TABLE jobwarden.stuck_jobs IS 'jobs that a run has found stuck of late';
COMMENT ON COLUMN jobwarden.stuck_jobs.run_id IS 'the last run that found it stuck';
COMMENT ON COLUMN jobwarden.stuck_jobs.notice_id IS 'the last notice that it was gathered into, by name or by count; null: none yet, or by a replica that did not keep it';
GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.stuck_jobs TO jobwarden_app;
