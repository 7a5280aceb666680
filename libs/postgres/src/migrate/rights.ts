import { TerminalError } from '#libs/application';
import { allUpSql } from '../../../../migrations/sql.js';
import type { Asked } from './standing.js';

/** A statement of a migration that begins its line: those in blocks of code are of the server, not of tables. */
const GRANTS = /^(?:GRANT|REVOKE)\s[^;]+;/gmu;

const CREATE_ROLE = `
DO $$
BEGIN
  IF to_regrole('jobwarden_app') IS NULL THEN
    CREATE ROLE jobwarden_app NOLOGIN;
  END IF;
  -- Only to see whose transactions are old.
  BEGIN
    GRANT pg_read_all_stats TO jobwarden_app;
  EXCEPTION WHEN insufficient_privilege THEN NULL;
  END;
END
$$`;

/** Where it was restored without them, roles and grants are what is missing: a dump has grants to a role, and not the role. */
const LACKING = `
SELECT to_regrole('jobwarden_app') IS NULL OR NOT has_schema_privilege('jobwarden_app', 'jobwarden', 'USAGE')
    OR NOT has_table_privilege('jobwarden_app', 'jobwarden.events', 'INSERT')
    OR EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = 'jobwarden'::regnamespace AND c.relkind IN ('r', 'p')
               AND NOT c.relispartition AND NOT has_table_privilege('jobwarden_app', c.oid, 'SELECT')) AS lacking`;

/** So that a service that may not migrate can read whether it has to be done. */
const TELL = 'GRANT SELECT ON public.jobwarden_migrations TO jobwarden_app';

/**
 * Whoever creates a role is no superuser, and need not be able to become it: PostgreSQL 15 makes it no member, later
 * ones an administrator who may not SET ROLE. The service, which may connect as the same user, has to.
 */
const MEMBERSHIP = `
DO $$
BEGIN
  SET LOCAL ROLE jobwarden_app;
EXCEPTION WHEN insufficient_privilege THEN
  GRANT jobwarden_app TO CURRENT_USER;
END
$$`;

/** As the service is: what it finds then is what it may see. */
const AS_SERVICE = 'SET LOCAL ROLE jobwarden_app';
const WHOLE = `
SELECT i.shards = (SELECT count(*) FROM jobwarden.shards) AND i.shards = (SELECT count(*) FROM jobwarden.publishers)
   AND has_table_privilege('jobwarden_app', 'public.jobwarden_migrations', 'SELECT') AS whole
FROM jobwarden.installation i`;

/** Whether the connection's user can serve, with nothing left to set up; changes nothing. The reason where not. */
export async function servable(client: Asked): Promise<true | Error> {
  await client.query('BEGIN');
  try {
    const lacking = await lacksRights(client);
    if (lacking) return new Error('the role jobwarden_app is missing, or has lost its grants');
    await client.query(AS_SERVICE);
    const [row] = (await client.query(WHOLE)).rows as { readonly whole: boolean }[];
    return row?.whole === true ? true : new Error('the database has no whole installation row');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error;
    throw error;
  } finally {
    await client.query('ROLLBACK');
  }
}

/**
 * Makes the role of the service, its grants and our membership, where one of them is missing. Idempotent. Throws TerminalError
 * `role_of_others`: roles are of the whole server, and only an administrator lets us into the one that others have made.
 */
export async function setUpRights(client: Asked): Promise<void> {
  if (await lacksRights(client)) {
    await client.query(CREATE_ROLE);
    for (const grant of grants()) await client.query(grant);
  }
  await client.query(TELL);
  try {
    await client.query(`SAVEPOINT membership`);
    await client.query(MEMBERSHIP);
    await client.query('RESET ROLE');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '42501')) throw error;
    await client.query('ROLLBACK TO SAVEPOINT membership');
    const [user] = (await client.query('SELECT quote_ident(current_user) AS name')).rows as { readonly name: string }[];
    throw new TerminalError(
      'role_of_others',
      'another Jobwarden of this server has made the role jobwarden_app, and our user is no member of it. ' +
        `As an administrator of the server: GRANT jobwarden_app TO ${user?.name ?? 'USER'}`,
      { cause: error },
    );
  }
}

/** Those of all migrations, in their order. */
function grants(): readonly string[] {
  return allUpSql().flatMap((sql) => sql.match(GRANTS) ?? []);
}

async function lacksRights(client: Asked): Promise<boolean> {
  const [row] = (await client.query(LACKING)).rows as { readonly lacking: boolean }[];
  return row?.lacking === true;
}
