DROP INDEX jobwarden.verdicts_standing, jobwarden.verdicts_waiting, jobwarden.verdicts_unconfirmed, jobwarden.verdicts_wrong_acts;
CREATE INDEX verdicts_open ON jobwarden.verdicts (queue_id) WHERE grade = 'open' AND kind = 'would-have';
UPDATE jobwarden.jobs SET open_verdicts = open_verdicts & 1 WHERE open_verdicts <> 0;
DELETE FROM jobwarden.verdicts WHERE kind = 'act';
ALTER TABLE jobwarden.verdicts DROP CONSTRAINT verdicts_kind_check;
ALTER TABLE jobwarden.verdicts ADD CONSTRAINT verdicts_kind_check CHECK (kind IN ('would-have', 'report'));
ALTER TABLE jobwarden.verdicts
  DROP COLUMN state, DROP COLUMN confirm_ms, DROP COLUMN approved_by, DROP COLUMN approved_reason,
  DROP COLUMN approved_ms, DROP COLUMN approval_until_ms, DROP COLUMN refusal, DROP COLUMN answered;
