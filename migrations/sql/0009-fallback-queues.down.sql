ALTER TABLE jobwarden.outbound DROP COLUMN deliver_to;
