DROP TABLE jobwarden.evidence_chunks;
DROP TABLE jobwarden.evidence_parts;
DROP TABLE jobwarden.evidence;
