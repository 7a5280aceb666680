import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { checkSchema, migrate } from './migrate.js';

const database = useTestDatabase();
let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(() => client.end());

/** Who may do what with which table and function of ours. */
async function rights(): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT c.oid::regclass || ' ' || a.privilege_type AS name FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.relnamespace = 'jobwarden'::regnamespace AND a.grantee = 'jobwarden_app'::regrole
    UNION ALL SELECT p.oid::regprocedure || ' ' || a.privilege_type FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    WHERE p.pronamespace = 'jobwarden'::regnamespace AND a.grantee IN (0, 'jobwarden_app'::regrole) ORDER BY 1`);
  return rows.map(({ name }) => name);
}

it('a database that came without the grants of the service says so, and gets them back by the next migration', async () => {
  const before = await rights();
  expect(before).toContain('jobwarden.events INSERT');
  expect(before).not.toContain('jobwarden.events DELETE');
  await client.query(`
    REVOKE ALL ON ALL TABLES IN SCHEMA jobwarden FROM jobwarden_app; REVOKE ALL ON ALL FUNCTIONS IN SCHEMA jobwarden FROM jobwarden_app;
    REVOKE ALL ON SCHEMA jobwarden FROM jobwarden_app; REVOKE ALL ON public.jobwarden_migrations FROM jobwarden_app;
    GRANT EXECUTE ON FUNCTION jobwarden.drop_period(integer) TO PUBLIC`);
  await expect(checkSchema(database.url)).rejects.toMatchObject({ code: 'not_servable', message: expect.stringContaining('run: jobwarden migrate') as unknown });
  expect((await migrate(database.url)).ran).toEqual([]);
  expect(await rights()).toEqual(before);
  expect(await checkSchema(database.url)).toMatchObject({ shards: 16 });
});
