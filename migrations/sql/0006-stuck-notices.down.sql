DROP TABLE jobwarden.stuck_notices;
DROP INDEX jobwarden.reconciliations_unnoticed;
ALTER TABLE jobwarden.reconciliations DROP COLUMN noticed;
