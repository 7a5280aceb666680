DROP TABLE jobwarden.worker_samples;
DROP TABLE jobwarden.outcomes;
