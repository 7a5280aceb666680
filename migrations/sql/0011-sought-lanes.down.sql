ALTER TABLE jobwarden.lanes DROP COLUMN sought;
