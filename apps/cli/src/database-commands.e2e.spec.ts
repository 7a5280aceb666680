import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, fixedPolicies, freePort, World, type TestDatabase } from '#libs/testing';
import { cli, type CliRun } from './cli.fixture.js';

describe('commands on the database', () => {
  let empty: TestDatabase;
  let filled: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-cli-'));
    empty = await createTestDatabase({ empty: true });
    filled = await createTestDatabase();
    const world = new World(filled.url, fixedPolicies({ idempotent: true }, 'act'));
    await world.send(
      { type: 'queued', job: 'a' },
      { type: 'started', job: 'a', worker: { id: 'w1' } },
      { type: 'queued', job: 'b' },
    );
    await world.close();
  });
  afterAll(async () => {
    await empty.drop();
    await filled.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const on = (database: TestDatabase, ...args: string[]): Promise<CliRun> =>
    cli(args, { JOBWARDEN_DATABASE_URL: database.url });

  async function sql(database: TestDatabase, text: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return await client.query(text);
    } finally {
      await client.end();
    }
  }

  it('create the schema with a clock of its own, keep it fixed, and take it back', async () => {
    expect(await on(empty, 'audit')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('run `jobwarden migrate`') as unknown,
    });
    const made = await on(empty, 'migrate', '--clock', 'manual', '--json');
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({ shards: 16, clock: 'manual' });
    expect(await on(empty, 'migrate')).toMatchObject({
      code: 0,
      stdout: 'The schema is up to date: 16 shards, manual clock.\n',
    });
    expect(await on(empty, 'migrate', '--clock', 'real')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('clock_fixed') as unknown,
    });
    expect(await on(empty, 'migrate', '--to', '0')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Took back') as unknown,
    });
    expect(await on(empty, 'migrate', '--down')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing to take back') as unknown,
    });
    expect((await on(empty, 'migrate')).code).toBe(0);
  });

  it('do not take back what holds jobs unless they are forced to', async () => {
    expect(await on(filled, 'migrate', '--down')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force') as unknown,
    });
    expect((await on(filled, 'audit')).code).toBe(0);
  });

  it('audit clean, find a drift, repair it, and are clean again', async () => {
    expect(await on(filled, 'audit')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No differences.') as unknown,
      stderr: '',
    });
    await sql(filled, `UPDATE jobwarden.jobs SET status = 'queued', state = '{"f":1}' WHERE job_id = 'a'`);
    const one = await on(filled, 'audit', '--queue', 'q', '--id', 'a', '--json');
    expect(one.code).toBe(1);
    expect(JSON.parse(one.stdout)).toMatchObject({
      rows: 1,
      drifted: 1,
      repaired: 0,
      findings: [{ kind: 'row', ref: { id: 'a' } }],
    });
    const repaired = await on(filled, 'audit', '--repair');
    expect(repaired).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('row default/q/a differs from its fold in state') as unknown,
    });
    expect(repaired.stdout).toContain('1 rows had drifted, 1 of them are repaired.');
    expect((await on(filled, 'audit', '--sample', '10')).code).toBe(0);
    expect((await on(filled, 'audit')).code).toBe(0);
    expect((await sql(filled, 'SELECT FROM jobwarden.drifts')).rowCount).toBe(1);
  });

  it('rebuild everything, by a policy file where one is named, and refuse rows of a newer program', async () => {
    await sql(filled, `UPDATE jobwarden.jobs SET state = '{"f":1}'`);
    expect(await on(filled, 'rebuild')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Rewrote 2 rows') as unknown,
    });
    const file = join(folder, 'policy.yaml');
    writeFileSync(file, 'queues:\n  q: {stuckAfter: 2h, heartbeats: none}\n');
    const planned = await cli(['rebuild', '--json'], { JOBWARDEN_DATABASE_URL: filled.url, JOBWARDEN_CONFIG: file });
    expect(JSON.parse(planned.stdout)).toMatchObject({ kind: 'done', rewritten: 0, rescheduled: 2 });
    const { rows } = await sql(
      filled,
      `SELECT waits_for, look_at_ms - since_ms AS after FROM jobwarden.jobs WHERE job_id = 'a'`,
    );
    expect(rows).toEqual([{ waits_for: 'stuck-after', after: String(2 * 3_600_000) }]);
    expect((await on(filled, 'audit')).code).toBe(0);

    await sql(filled, `UPDATE jobwarden.jobs SET fold_version = 99 WHERE job_id = 'b'`);
    expect(await on(filled, 'rebuild')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('newer_rows') as unknown,
    });
    await sql(filled, 'UPDATE jobwarden.jobs SET fold_version = 1');
  });

  it('say 3 when nothing answers, and 2 when they are called wrongly', async () => {
    const nobody = `postgres://x:y@127.0.0.1:${await freePort()}/z`;
    for (const command of ['migrate', 'audit', 'rebuild']) {
      expect(await cli([command], { JOBWARDEN_DATABASE_URL: nobody })).toMatchObject({ code: 3 });
    }
    expect(await cli(['audit'], { JOBWARDEN_DATA_DIR: join(folder, 'none') })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('no database') as unknown,
    });
    const wrong = new URL(filled.url);
    wrong.password = 'wrong';
    expect(await cli(['audit'], { JOBWARDEN_DATABASE_URL: wrong.href })).toMatchObject({ code: 2 });
    expect(await cli(['audit'], { JOBWARDEN_DATABASE_URL: 'mysql://x' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('JOBWARDEN_DATABASE_URL') as unknown,
    });
    expect(await on(filled, 'audit', '--queue', 'q')).toMatchObject({ code: 2 });
    expect(await on(filled, 'audit', '--sample', 'few')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('whole number') as unknown,
    });
    expect(await cli(['audt'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean audit?') as unknown,
    });
    expect(await cli(['audit', '--repiar'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean --repair?') as unknown,
    });
    expect(await cli([])).toMatchObject({ code: 2 });
    expect(await cli(['--help'])).toMatchObject({ code: 0 });
    expect(await cli(['help', 'audit'])).toMatchObject({ code: 0 });
    expect(await cli(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u) as unknown,
    });
  });

  it('work on an embedded database that they start, and on the server of one that runs', async () => {
    const env = { JOBWARDEN_DATA_DIR: join(folder, 'data') };
    expect(await cli(['migrate'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('real clock') as unknown,
    });
    expect(await cli(['audit'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Compared 0 rows') as unknown,
    });
    const both = await Promise.all([cli(['audit', '--json'], env), cli(['migrate', '--json'], env)]);
    // One of them starts the server; the other finds it running, or its folder locked for a moment.
    expect(both.map((r) => r.code)).toContain(0);
  });

  it('check policy files: fine, faults with their lines, and none at all', async () => {
    const good = join(folder, 'good.yaml');
    const bad = join(folder, 'bad.yaml');
    writeFileSync(good, 'queues:\n  emails: {lease: 10s}\n');
    writeFileSync(bad, 'defaults:\n  leese: 10s\n  actions: act\n');
    expect(await cli(['policies', 'check', good])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is good: 1 queues') as unknown,
    });
    const faults = await cli(['policies', 'check', bad]);
    expect(faults.code).toBe(1);
    expect(faults.stdout).toContain(`${bad}:2:3 defaults.leese`);
    expect(faults.stdout).toContain('did you mean "lease"?');
    expect(JSON.parse((await cli(['policies', 'check', bad, '--json'])).stdout)).toMatchObject({ ok: false });
    expect(await cli(['policies', 'check', join(folder, 'gone.yaml')])).toMatchObject({ code: 2 });
  });

  it('recover wants to see a restore, or to be told of one, and names a lane that is none', async () => {
    const bare = await on(filled, 'recover');
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining('not_restored') as unknown]);
    const lane = await on(filled, 'recover', '--force', '--rewind', 'kafka/none/0=earliest');
    expect([lane.code, lane.stderr]).toEqual([2, expect.stringContaining('lane_unknown') as unknown]);
    expect((await on(filled, 'recover', '--rewind', 'nonsense')).code).toBe(2);
    await sql(filled, `UPDATE jobwarden.installation SET log_oid = 1`);
    const done = await on(filled, 'recover', '--observe', '30s', '--json');
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ kind: 'recovered' });
    const { rows } = await sql(filled, 'SELECT epoch > 50000 AS risen, restored FROM jobwarden.installation');
    expect(rows).toEqual([{ risen: true, restored: null }]);
  });
});
