-- Since when all actions are stopped, or go on again: who finds them stopped at night asks first how long they have been.
ALTER TABLE jobwarden.installation ADD COLUMN actions_since_ms bigint;
COMMENT ON COLUMN jobwarden.installation.actions_since_ms IS 'lane time at which the stop switch was set last; null: never, or by a replica that did not keep it yet';
