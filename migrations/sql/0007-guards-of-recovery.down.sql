COMMENT ON COLUMN jobwarden.jobs.held_by IS 'why a verdict that is due is not given: a lane not read far enough, an entry in quarantine';
DROP TABLE jobwarden.rerun_samples;
DROP TABLE jobwarden.lost_workers;
DROP TABLE jobwarden.queue_guards;
DROP TABLE jobwarden.budgets;
