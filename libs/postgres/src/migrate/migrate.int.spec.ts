import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { checkSchema, migrate, migrateDown, schemaStanding } from './migrate.js';
import type { MigrationProgress } from './progress.js';

const database = useTestDatabase();
let other: pg.Client;
let told: MigrationProgress[];
const onProgress = (progress: MigrationProgress): void => void told.push(progress);
const said = (kind: MigrationProgress['kind']) => told.find((progress) => progress.kind === kind);

beforeEach(async () => {
  told = [];
  other = new pg.Client({ connectionString: database.url, application_name: 'somebody' });
  await other.connect();
});
afterEach(async () => {
  await other.query('rollback');
  await other.query('delete from public.jobwarden_migrations where "timestamp" = 9999999999999');
  await other.end();
  await migrate(database.url);
});

const HELD = 'select pg_advisory_xact_lock(7411000001)';
/** Keeps the line of a migration from being written, and nobody from reading. */
const TABLE_HELD = 'lock table public.jobwarden_migrations in share mode';
/** As the server keeps it, whose session has not noticed yet. */
const STILL_AT_WORK = 'select pg_advisory_xact_lock(7411000002)';

async function asUnknown(name: string): Promise<void> {
  await other.query('insert into public.jobwarden_migrations ("timestamp", name) values (9999999999999, $1)', [name]);
}

describe('a lock that another process holds', () => {
  beforeEach(async () => {
    await migrateDown(database.url, 1);
    await other.query('begin');
  });

  it('is waited for, with a word about who holds it', async () => {
    await other.query(HELD);
    const migrated = migrate(database.url, { onProgress });
    await waitUntil('it waits', () => said('waiting') !== undefined);
    expect(said('waiting')).toMatchObject({ holder: expect.stringMatching(/^somebody \(session \d+ of \S+\)$/u) as unknown });
    expect(told).toHaveLength(1);
    await other.query('commit');
    const { ran } = await migrated;
    expect(ran).toHaveLength(1);
    expect(told.slice(1)).toEqual([
      { kind: 'running', name: ran[0], at: 1, of: 1 },
      { kind: 'ran', name: ran[0], ms: expect.any(Number) as number },
    ]);
  });

  it('is not waited for longer than was said, and nothing has run', async () => {
    await other.query(HELD);
    await expect(migrate(database.url, { waitMs: 1 })).rejects.toMatchObject({ code: 'migration_locked', message: expect.stringContaining('somebody (session') as unknown });
    expect((await schemaStanding(database.url)).pending).toHaveLength(1);
  });

  it('may be lost while a migration runs: who comes next runs it no second time', async () => {
    await other.query(STILL_AT_WORK);
    const first = migrate(database.url, { onProgress }).catch((error: unknown) => error);
    await waitUntil('the first waits', () => said('blocked') !== undefined);
    await other.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'jobwarden-migrate %'`);
    const later: MigrationProgress[] = [];
    const second = migrate(database.url, { onProgress: (progress) => later.push(progress) });
    await waitUntil('the second waits behind it', () => later.some(({ kind, ...more }) => kind === 'blocked' && 'by' in more && !more.by.startsWith('somebody')));
    await other.query('commit');
    await first;
    expect((await second).ran).toEqual([]);
    expect((await schemaStanding(database.url)).pending).toEqual([]);
  });

  it('is left alone where nothing is to be done', async () => {
    await other.query('commit');
    await migrate(database.url);
    await other.query(`begin; ${HELD}`);
    expect((await migrate(database.url, { waitMs: 1 })).ran).toEqual([]);
  });

  it('is not waited for by a process that ends', async () => {
    await other.query(HELD);
    const end = new AbortController();
    const migrated = migrate(database.url, { onProgress: () => end.abort(), signal: end.signal });
    await expect(migrated).rejects.toMatchObject({ code: 'migration_ended' });
  });
});

describe('what others hold that a migration needs', () => {
  beforeEach(async () => {
    await migrateDown(database.url, 1);
    await other.query('begin');
  });

  it.each([
    ['a table', TABLE_HELD],
    ['the work of a process that is gone', STILL_AT_WORK],
  ])('is waited for in turns, so that nobody waits behind the migration for long: %s', async (_, held) => {
    await other.query(held);
    const migrated = migrate(database.url, { onProgress, lockMs: 500 });
    await waitUntil('it has given way once', () => said('again') !== undefined);
    expect(said('blocked')).toMatchObject({ by: expect.stringContaining('somebody (session') as unknown });
    await other.query('commit');
    expect((await migrated).ran).toHaveLength(1);
  });

  it('ends it after as long as was said, with nothing of that migration left', async () => {
    await other.query(TABLE_HELD);
    await expect(migrate(database.url, { waitMs: 1, lockMs: 500, onProgress })).rejects.toMatchObject({ code: 'migration_blocked', message: expect.stringContaining('in its way: somebody (session') as unknown });
    await other.query('rollback');
    expect((await schemaStanding(database.url)).pending).toHaveLength(1);
  });
});

describe('a schema of another release', () => {
  it('is refused, where only a command may migrate and something is missing, with the command', async () => {
    expect(await checkSchema(database.url)).toMatchObject({ shards: 16 });
    await migrateDown(database.url, 2);
    const { pending } = await schemaStanding(database.url);
    expect(pending).toHaveLength(2);
    const refused: unknown = await checkSchema(database.url).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'schema_older', message: expect.stringContaining(pending.join(', ')) as unknown });
    expect(String(refused)).toMatch(/run: jobwarden migrate$/u);
  });

  it('works where it only adds to what this one knows, and is told of', async () => {
    await asUnknown('Comforts0099');
    expect((await migrate(database.url)).ran).toEqual([]);
    expect(await checkSchema(database.url)).toMatchObject({ shards: 16 });
    expect(await schemaStanding(database.url)).toMatchObject({ pending: [], unknown: ['Comforts0099'] });
  });

  it('is refused where it has taken something away', async () => {
    await asUnknown('ContractStreams0099');
    const refusal = { code: 'schema_newer', message: expect.stringContaining('ContractStreams0099') as unknown };
    await expect(migrate(database.url)).rejects.toMatchObject(refusal);
    await expect(checkSchema(database.url)).rejects.toMatchObject(refusal);
    await expect(schemaStanding(database.url)).rejects.toMatchObject(refusal);
  });
});

it('an installation that was begun and never finished is finished, by whoever comes next', async () => {
  await other.query('delete from jobwarden.publishers where shard > 7');
  await expect(checkSchema(database.url)).rejects.toMatchObject({ code: 'not_servable' });
  await migrate(database.url);
  expect((await other.query('select from jobwarden.publishers')).rowCount).toBe(16);
});

it('tables without the list of what has run are not made a second time', async () => {
  await other.query('begin; alter table public.jobwarden_migrations rename to kept; commit');
  try {
    await expect(migrate(database.url)).rejects.toMatchObject({ code: 'migrations_unknown' });
    await expect(checkSchema(database.url)).rejects.toMatchObject({ code: 'migrations_unknown' });
  } finally {
    await other.query('alter table public.kept rename to jobwarden_migrations');
  }
});
