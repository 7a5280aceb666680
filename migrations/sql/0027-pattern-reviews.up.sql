-- What people have said of each pattern of dead letters. The newest stands in the pattern as well; this keeps those before it, and its
-- newest rows tell that something was said, without a look at every pattern.
CREATE TABLE jobwarden.dead_letter_pattern_reviews (
  review_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pattern_id bigint NOT NULL REFERENCES jobwarden.dead_letter_patterns ON DELETE CASCADE,
  at_ms      bigint NOT NULL,
  outcome    text NOT NULL CHECK (outcome IN ('seen', 'fixed', 'ignored')),
  made_by    text NOT NULL,
  reason     text NOT NULL
);
CREATE INDEX dead_letter_pattern_reviews_of ON jobwarden.dead_letter_pattern_reviews (pattern_id, review_id DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.dead_letter_pattern_reviews TO jobwarden_app;

ALTER TABLE jobwarden.redrives ADD COLUMN stopped_by text;
COMMENT ON COLUMN jobwarden.redrives.stopped_by IS 'null: it was not stopped, or by a replica that did not keep it yet';
