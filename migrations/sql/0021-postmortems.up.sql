-- What people add to the story of an incident, which itself is made anew from its steps whenever somebody asks.
CREATE TABLE jobwarden.postmortem_answers (
  answer_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  incident_id bigint NOT NULL REFERENCES jobwarden.incidents ON DELETE CASCADE,
  item        text NOT NULL,
  answer      text NOT NULL,
  answered_by text NOT NULL,
  at_ms       bigint NOT NULL
);
COMMENT ON TABLE jobwarden.postmortem_answers IS 'of each item the newest counts; those before stay, so that it is known who said what';
CREATE INDEX postmortem_answers_of_incident ON jobwarden.postmortem_answers (incident_id, item, answer_id DESC);

CREATE TABLE jobwarden.postmortem_signatures (
  incident_id bigint PRIMARY KEY REFERENCES jobwarden.incidents ON DELETE CASCADE,
  signed_by   text NOT NULL,
  note        text,
  at_ms       bigint NOT NULL
);

-- Not bound to the incident: what is still to be done outlives it.
CREATE TABLE jobwarden.follow_ups (
  follow_up_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  incident_id  bigint NOT NULL,
  namespace    text,
  kind         text NOT NULL CHECK (kind IN ('task', 'lesson')),
  what         text NOT NULL,
  owner        text,
  added_by     text NOT NULL,
  added_ms     bigint NOT NULL,
  done_by      text,
  done_ms      bigint,
  done_note    text,
  CHECK ((done_ms IS NULL) = (done_by IS NULL))
);
COMMENT ON COLUMN jobwarden.follow_ups.namespace IS 'of the incident; null: it was of the whole installation';
CREATE INDEX follow_ups_open ON jobwarden.follow_ups (follow_up_id) WHERE done_ms IS NULL;
CREATE INDEX follow_ups_of_incident ON jobwarden.follow_ups (incident_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON
  jobwarden.postmortem_answers, jobwarden.postmortem_signatures, jobwarden.follow_ups TO jobwarden_app;
