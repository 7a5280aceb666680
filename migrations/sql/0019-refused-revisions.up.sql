-- Releases of workers that are out of service: who took them out, why, and who let them in again.
CREATE TABLE jobwarden.refused_revisions (
  refusal_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace     text NOT NULL,
  queue         text,
  revision      text NOT NULL,
  reason        text NOT NULL,
  set_by        text NOT NULL,
  incident_id   bigint,
  set_ms        bigint NOT NULL,
  version       bigint NOT NULL,
  lifted_ms     bigint,
  lifted_by     text,
  lifted_reason text,
  CHECK ((lifted_ms IS NULL) = (lifted_by IS NULL)),
  CHECK ((lifted_ms IS NULL) = (lifted_reason IS NULL))
);
COMMENT ON COLUMN jobwarden.refused_revisions.queue IS 'null: every queue of the namespace';
COMMENT ON COLUMN jobwarden.refused_revisions.version IS 'of the list, once this row stood in it';
CREATE UNIQUE INDEX refused_revisions_standing ON jobwarden.refused_revisions (namespace, queue, revision)
  NULLS NOT DISTINCT WHERE lifted_ms IS NULL;
CREATE INDEX refused_revisions_of_namespace ON jobwarden.refused_revisions (namespace, refusal_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.refused_revisions TO jobwarden_app;

-- Counts the changes of the list. A replica says in its beat which one it goes by, so that "nobody grants it any more" is known
-- and not assumed; one of an older program says nothing, and never counts as having read any.
ALTER TABLE jobwarden.installation ADD COLUMN refusals_version bigint NOT NULL DEFAULT 0;
ALTER TABLE jobwarden.replicas ADD COLUMN refusals_read bigint NOT NULL DEFAULT 0;
