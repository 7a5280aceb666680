ALTER TABLE jobwarden.queues DROP COLUMN fed;
DROP TABLE jobwarden.saturations;
DROP TABLE jobwarden.maintenance_windows;
DROP TABLE jobwarden.signals;
