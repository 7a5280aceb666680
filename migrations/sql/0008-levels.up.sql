-- Would-haves that wait for an approval, what became of them, and acts that may still turn out wrong.
ALTER TABLE jobwarden.verdicts
  ADD COLUMN state             text NOT NULL DEFAULT 'shown'
    CHECK (state IN ('shown', 'proposed', 'approved', 'decided', 'refused', 'expired', 'lapsed')),
  ADD COLUMN confirm_ms        bigint,
  ADD COLUMN approved_by       text,
  ADD COLUMN approved_reason   text,
  ADD COLUMN approved_ms       bigint,
  ADD COLUMN approval_until_ms bigint,
  ADD COLUMN refusal           text,
  ADD COLUMN answered          boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN jobwarden.verdicts.state IS 'shown, proposed, expired: can be approved; lapsed: the job has moved on';
COMMENT ON COLUMN jobwarden.verdicts.confirm_ms IS 'lane time from which on silence confirms it';
COMMENT ON COLUMN jobwarden.verdicts.answered IS 'of a wrong act: the level has been looked after';
ALTER TABLE jobwarden.verdicts DROP CONSTRAINT verdicts_kind_check;
ALTER TABLE jobwarden.verdicts ADD CONSTRAINT verdicts_kind_check CHECK (kind IN ('would-have', 'report', 'act'));

UPDATE jobwarden.verdicts SET state = 'lapsed' WHERE kind = 'would-have' AND grade <> 'open';
UPDATE jobwarden.verdicts SET confirm_ms = last_ms + 10 * threshold_ms WHERE kind = 'would-have' AND grade = 'open';
-- Bits by now: 1 the job rests on a would-have, 2 one is approved, 4 late facts grade something, 8 so do heartbeats.
UPDATE jobwarden.jobs SET open_verdicts = 13 WHERE open_verdicts <> 0;

DROP INDEX jobwarden.verdicts_open;
CREATE INDEX verdicts_standing ON jobwarden.verdicts (queue_id)
  WHERE kind = 'would-have' AND state IN ('shown', 'proposed', 'approved', 'expired');
CREATE INDEX verdicts_waiting ON jobwarden.verdicts (verdict_id) WHERE state IN ('proposed', 'approved');
CREATE INDEX verdicts_unconfirmed ON jobwarden.verdicts (confirm_ms) WHERE grade = 'open' AND confirm_ms IS NOT NULL;
CREATE INDEX verdicts_wrong_acts ON jobwarden.verdicts (verdict_id) WHERE kind = 'act' AND grade = 'wrong' AND NOT answered;
