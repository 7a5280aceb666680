/** What `sql/fences.sql` of this package holds, word for word: for your own migration. May be run again. */
export const POSTGRES_FENCE_SQL = `-- Fences of @jobwarden/fences: a resource takes a token only while none higher has written to it. May be run again.
CREATE TABLE IF NOT EXISTS jobwarden_fences (
  resource text PRIMARY KEY,
  token bigint NOT NULL CHECK (token BETWEEN 1 AND 9007199254740991),
  written_at timestamptz NOT NULL DEFAULT now()
);

-- True, and the token is kept; false where a higher one has been here. The resource's row stays locked until the
-- transaction ends, also where the answer is false: that is what makes the check and the write behind it one step.
CREATE OR REPLACE FUNCTION jobwarden_fence_holds(fenced_resource text, fencing_token bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO jobwarden_fences AS f (resource, token) VALUES (fenced_resource, fencing_token)
  ON CONFLICT (resource) DO UPDATE SET token = excluded.token, written_at = now() WHERE f.token <= excluded.token;
  RETURN FOUND;
END $$;

-- The same, but a stale token is an error (SQLSTATE JW412), so that nothing of the transaction can be committed.
CREATE OR REPLACE FUNCTION jobwarden_fence(fenced_resource text, fencing_token bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF NOT jobwarden_fence_holds(fenced_resource, fencing_token) THEN
    RAISE EXCEPTION 'stale fencing token % for %', fencing_token, fenced_resource
      USING ERRCODE = 'JW412', HINT = 'Another worker has this job by now: stop, and write nothing.';
  END IF;
END $$;
`;
