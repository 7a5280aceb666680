-- Commands may be meant for the workers of another queue than the job's own.
ALTER TABLE jobwarden.outbound ADD COLUMN deliver_to text;
COMMENT ON COLUMN jobwarden.outbound.deliver_to IS 'the queue whose workers are meant; null: the job''s own';
