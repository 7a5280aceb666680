import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { breaches } from './rules.js';

const root = join(import.meta.dirname, '../..');
/** Up to here a database is made from nothing: no installation has run these on tables with rows in them. */
const FIRST_RELEASE = 22;
const FILES = globSync('migrations/sql/*.up.sql', { cwd: root }).sort();
const numberOf = (file: string): number => Number(basename(file).slice(0, 4));
const isContract = (file: string): boolean => /^\d{4}-contract-/u.test(basename(file));
const sqlOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Breaches that are right all the same: the file, and why. */
const EXCUSED: ReadonlyMap<string, string> = new Map([]);

describe('a migration that runs beside replicas of the release before it', () => {
  it('keeps nobody waiting, writes no table anew and takes nothing away', () => {
    const found = FILES.filter((file) => numberOf(file) > FIRST_RELEASE && !EXCUSED.has(basename(file))).flatMap((file) =>
      breaches(sqlOf(file), { contract: isContract(file) }).map(({ rule, statement }) => `${file}: ${rule}: ${statement}`),
    );
    expect(found).toEqual([]);
  });

  it('is named by what it does, so that an older release can tell', () => {
    for (const file of FILES.filter(isContract)) {
      const source = readFileSync(join(root, 'migrations', basename(file).replace('.up.sql', '.ts')), 'utf8');
      expect(source).toMatch(/readonly name = 'Contract/u);
    }
  });

  it.each([
    ['CREATE INDEX a ON jobwarden.events (shard)', 'an index'],
    ['CREATE UNIQUE INDEX ON jobwarden.jobs (kind)', 'an index'],
    ['ALTER TABLE jobwarden.jobs ALTER COLUMN kind TYPE varchar(10)', 'a change of type'],
    ['ALTER TABLE jobwarden.shards ADD COLUMN at timestamptz NOT NULL DEFAULT clock_timestamp()', 'a change of type'],
    ['ALTER TABLE jobwarden.jobs ADD COLUMN x bigint GENERATED ALWAYS AS (attempt * 2) STORED', 'a change of type'],
    ['ALTER TABLE jobwarden.replicas ADD COLUMN name text NOT NULL', 'a column that must be given'],
    ['ALTER TABLE jobwarden.jobs ALTER COLUMN kind SET NOT NULL', 'a column that must be given'],
    ['ALTER TABLE jobwarden.verdicts ADD CONSTRAINT c CHECK (times > 0)', 'a constraint'],
    ["UPDATE jobwarden.jobs SET kind = 'x'", 'rows of a table'],
    ['DELETE FROM jobwarden.outbound', 'rows of a table'],
    ['ALTER TABLE jobwarden.lanes DROP COLUMN next', 'what older replicas use'],
    ['ALTER TABLE jobwarden.lanes RENAME COLUMN next TO wanted', 'what older replicas use'],
    ['DROP TABLE jobwarden.drifts', 'what older replicas use'],
    ['LOCK TABLE jobwarden.jobs', 'locks, vacuums'],
    ["SET lock_timeout = '1h'", 'locks, vacuums'],
    ['CREATE TABLE jobwarden.things (a int)', 'a table without a grant'],
  ])('would be found out: %s', (statement, rule) => {
    expect(breaches(`-- why; and how\n${statement};`).map((breach) => breach.rule)).toEqual([expect.stringContaining(rule)]);
  });

  it.each([
    'ALTER TABLE jobwarden.jobs ADD COLUMN a text',
    'ALTER TABLE jobwarden.jobs ADD COLUMN a bigint NOT NULL DEFAULT 0, ADD COLUMN b text',
    'ALTER TABLE jobwarden.verdicts ADD CONSTRAINT c CHECK (times > 0) NOT VALID',
    'CREATE TABLE jobwarden.things (a int NOT NULL); CREATE INDEX ON jobwarden.things (a); GRANT SELECT ON jobwarden.things TO jobwarden_app',
    "CREATE FUNCTION jobwarden.f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN DELETE FROM jobwarden.jobs; LOCK TABLE jobwarden.jobs; END $$",
    'UPDATE jobwarden.queues SET fed = true',
    "COMMENT ON COLUMN jobwarden.jobs.kind IS 'ALTER TABLE jobwarden.jobs DROP COLUMN kind; never'",
  ])('may do: %s', (sql) => {
    expect(breaches(`${sql};`)).toEqual([]);
  });

  it('may take away in a release of its own', () => {
    const sql = 'ALTER TABLE jobwarden.lanes DROP COLUMN next;';
    expect(breaches(sql, { contract: true })).toEqual([]);
    expect(breaches(`${sql} CREATE INDEX ON jobwarden.events (n);`, { contract: true })).toHaveLength(1);
  });

  it('finds breaches where there are some (or the first test could not fail)', () => {
    const found = FILES.filter((file) => breaches(sqlOf(file)).length > 0).map((file) => basename(file));
    expect(found).toContain('0012-dead-letter-patterns.up.sql');
  });
});
