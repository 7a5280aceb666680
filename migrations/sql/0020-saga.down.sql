DROP TABLE jobwarden.incident_tries;
DROP TABLE jobwarden.incident_queues;
