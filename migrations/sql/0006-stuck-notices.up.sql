-- What the runs found stuck, gathered per queue and told to webhooks. Runs that are there already are not told any more.
ALTER TABLE jobwarden.reconciliations ADD COLUMN noticed boolean NOT NULL DEFAULT true;
ALTER TABLE jobwarden.reconciliations ALTER COLUMN noticed SET DEFAULT false;
CREATE INDEX reconciliations_unnoticed ON jobwarden.reconciliations (run_id) WHERE NOT noticed;
COMMENT ON COLUMN jobwarden.reconciliations.noticed IS 'what it found stuck has been made into notices';

CREATE TABLE jobwarden.stuck_notices (
  notice_id text NOT NULL,
  webhook   text NOT NULL,
  message   text NOT NULL,
  made_at   timestamptz NOT NULL DEFAULT now(),
  tries     integer NOT NULL DEFAULT 0,
  next_at   timestamptz NOT NULL DEFAULT now(),
  claim     uuid,
  PRIMARY KEY (notice_id, webhook)
);
CREATE INDEX stuck_notices_due ON jobwarden.stuck_notices (next_at);
COMMENT ON TABLE jobwarden.stuck_notices IS 'notices a webhook has not acknowledged yet; acknowledged ones are deleted';
COMMENT ON COLUMN jobwarden.stuck_notices.claim IS 'of the replica that is sending it, until next_at';
GRANT SELECT, INSERT, UPDATE, DELETE ON jobwarden.stuck_notices TO jobwarden_app;
