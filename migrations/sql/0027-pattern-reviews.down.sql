ALTER TABLE jobwarden.redrives DROP COLUMN stopped_by;
DROP TABLE jobwarden.dead_letter_pattern_reviews;
