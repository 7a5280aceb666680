-- How each queue stood, once a minute of lane time, for a day: what the overview draws. A queue in which nothing waits, runs or has
-- ended since has no row; that of queue 0 says that a sample was taken at all.
CREATE TABLE jobwarden.queue_samples (
  minute    integer NOT NULL,
  queue_id  integer NOT NULL,
  waiting   bigint NOT NULL,
  running   bigint NOT NULL,
  succeeded integer NOT NULL,
  failed    integer NOT NULL,
  median_ms bigint,
  PRIMARY KEY (minute, queue_id)
);
COMMENT ON COLUMN jobwarden.queue_samples.minute IS 'when it was taken, minutes since 1970; what ended is counted from the sample before it';
COMMENT ON COLUMN jobwarden.queue_samples.failed IS 'attempts that failed or were lost';
COMMENT ON COLUMN jobwarden.queue_samples.median_ms IS 'run time of what succeeded in between; null: nothing did, or it is not known';
GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.queue_samples TO jobwarden_app;
