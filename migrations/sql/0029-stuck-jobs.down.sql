DROP TABLE jobwarden.stuck_jobs;
