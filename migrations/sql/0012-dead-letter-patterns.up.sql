-- Dead letters by what they died of: a subscription on the log, which can be made again from it down to the retention line.
-- Reads the decisions `dead-lettered` of each shard in the order of their numbers.
CREATE INDEX events_dead_lettered ON jobwarden.events (shard, number) WHERE type = 105;

CREATE TABLE jobwarden.dead_letter_readers (
  shard  smallint PRIMARY KEY,
  number bigint NOT NULL
);
COMMENT ON TABLE jobwarden.dead_letter_readers IS 'how far the dead letters of each shard have been sorted: moved by compare-and-set in the transaction that sorts them';

CREATE TABLE jobwarden.dead_letter_patterns (
  pattern_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  fingerprint bytea NOT NULL UNIQUE,
  queue_id    integer NOT NULL,
  kind        text,
  reason      text NOT NULL,
  class       text,
  message     text NOT NULL,
  frames      text NOT NULL,
  first_ms    bigint NOT NULL,
  last_ms     bigint NOT NULL,
  letters     bigint NOT NULL,
  outcome     text CHECK (outcome IN ('seen', 'fixed', 'ignored')),
  outcome_ms  bigint,
  outcome_by  text,
  outcome_why text,
  CHECK ((outcome IS NULL) = (outcome_ms IS NULL))
) WITH (fillfactor = 70);
COMMENT ON COLUMN jobwarden.dead_letter_patterns.letters IS 'dead letters ever sorted under it, also those that have left since';
COMMENT ON COLUMN jobwarden.dead_letter_patterns.outcome IS 'the newest that people have said of it';
CREATE INDEX dead_letter_patterns_by_queue ON jobwarden.dead_letter_patterns (queue_id);

CREATE TABLE jobwarden.dead_letter_hours (
  pattern_id bigint NOT NULL REFERENCES jobwarden.dead_letter_patterns ON DELETE CASCADE,
  hour       integer NOT NULL,
  letters    integer NOT NULL,
  PRIMARY KEY (pattern_id, hour)
) WITH (fillfactor = 70);
COMMENT ON COLUMN jobwarden.dead_letter_hours.hour IS 'hours since 1970, UTC';

CREATE TABLE jobwarden.dead_letters (
  shard      smallint NOT NULL,
  number     bigint NOT NULL,
  period     integer NOT NULL,
  pattern_id bigint NOT NULL REFERENCES jobwarden.dead_letter_patterns ON DELETE CASCADE,
  job_key    bytea NOT NULL,
  attempt    integer NOT NULL,
  at_ms      bigint NOT NULL,
  worker     text,
  revision   text,
  PRIMARY KEY (shard, number)
);
CREATE INDEX dead_letters_by_pattern ON jobwarden.dead_letters (pattern_id, at_ms DESC);
CREATE INDEX dead_letters_by_job ON jobwarden.dead_letters (job_key, number);
CREATE INDEX dead_letters_by_period ON jobwarden.dead_letters (period);

CREATE TABLE jobwarden.dead_letter_reviews (
  review_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace text NOT NULL,
  queue     text,
  at_ms     bigint NOT NULL,
  made_by   text NOT NULL,
  reason    text NOT NULL
);
COMMENT ON TABLE jobwarden.dead_letter_reviews IS 'who has looked through the dead letters, and when; queue null: all of the namespace';
CREATE INDEX dead_letter_reviews_newest ON jobwarden.dead_letter_reviews (namespace, at_ms DESC);

GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.dead_letter_readers, jobwarden.dead_letter_patterns, jobwarden.dead_letter_hours,
  jobwarden.dead_letters, jobwarden.dead_letter_reviews TO jobwarden_app;
