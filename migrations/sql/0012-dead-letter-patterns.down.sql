DROP TABLE jobwarden.dead_letter_reviews, jobwarden.dead_letters, jobwarden.dead_letter_hours, jobwarden.dead_letter_patterns,
  jobwarden.dead_letter_readers;
DROP INDEX jobwarden.events_dead_lettered;
