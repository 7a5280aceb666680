ALTER TABLE jobwarden.installation DROP COLUMN actions_since_ms;
