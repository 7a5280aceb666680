-- What one bad worker of an incident is asked for, and what came of it.
CREATE TABLE jobwarden.evidence (
  evidence_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  incident_id bigint NOT NULL UNIQUE,
  namespace   text NOT NULL,
  revision    text,
  worker_id   text,
  incarnation text,
  upload_key  text,
  asked_ms    bigint NOT NULL,
  deadline_ms bigint NOT NULL,
  ended_ms    bigint,
  outcome     text CHECK (outcome IN ('captured', 'timed-out', 'refused', 'no-worker')),
  erased      text,
  CHECK ((ended_ms IS NULL) = (outcome IS NULL))
);
COMMENT ON COLUMN jobwarden.evidence.upload_key IS 'whoever was asked has it; null once it is over';
COMMENT ON COLUMN jobwarden.evidence.erased IS 'by whom, when and why (JSON); null: it was not';
CREATE INDEX evidence_open ON jobwarden.evidence (evidence_id) WHERE ended_ms IS NULL;
CREATE TABLE jobwarden.evidence_parts (
  evidence_id bigint NOT NULL REFERENCES jobwarden.evidence ON DELETE CASCADE,
  kind        text NOT NULL CHECK (kind IN ('report', 'heap-snapshot')),
  state       text NOT NULL CHECK (state IN ('arriving', 'kept', 'refused', 'broken')),
  bytes       bigint NOT NULL DEFAULT 0,
  sha256      bytea,
  reason      text,
  PRIMARY KEY (evidence_id, kind)
);
-- The bytes: a heap holds whatever the process had in memory.
CREATE TABLE jobwarden.evidence_chunks (
  evidence_id bigint NOT NULL,
  kind        text NOT NULL,
  n           integer NOT NULL,
  bytes       bytea NOT NULL,
  PRIMARY KEY (evidence_id, kind, n),
  FOREIGN KEY (evidence_id, kind) REFERENCES jobwarden.evidence_parts ON DELETE CASCADE
);
ALTER TABLE jobwarden.evidence_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.evidence, jobwarden.evidence_parts, jobwarden.evidence_chunks TO jobwarden_app;
