DROP TABLE jobwarden.queue_samples;
