-- Where an operator has said where a lane goes on, its position and the time of its last record do not belong together
-- until something has been read. Everywhere else they do, and tell a topic that was made anew from the one that was read.
ALTER TABLE jobwarden.lanes ADD COLUMN sought boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN jobwarden.lanes.sought IS 'told by an operator where to go on, and nothing read since';
