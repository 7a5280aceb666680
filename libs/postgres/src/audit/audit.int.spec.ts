import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditRound } from '#libs/application';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { Database } from '../database.js';
import { auditOf, expectClean, history } from './audit.fixture.js';

/** Puts a row back to what it was before its last update, as if that had been dropped. */
const DROP_ROW_UPDATE = `
UPDATE jobwarden.jobs SET status = 'queued', attempt = 1, n = 0, kind = NULL, worker = NULL, state = '{"f":1}' WHERE job_id = $1`;

describe('the audit', () => {
  const database = useTestDatabase();
  let world: World;
  let owner: Database;

  beforeAll(async () => {
    world = new World(database.url, fixedPolicies({ idempotent: true }, 'act'));
    owner = new Database({ url: database.url, poolSize: 2 });
    await history(world, 'base', 40);
  });
  afterAll(async () => {
    await world.close();
    await owner.close();
  });

  async function drifts(): Promise<number> {
    const [row] = await world.database.query<{ count: number }>('SELECT count(*) FROM jobwarden.drifts WHERE repaired');
    return row!.count;
  }

  it('finds nothing in a database that nobody has tampered with', async () => {
    const report = await expectClean(world);
    expect(report.rows).toBe(40);
    expect(report.events).toBeGreaterThan(80);
    expect(report.checked).toEqual(['counters', 'positions']);
  });

  it('finds a dropped update of a row within one round, repairs it, and counts it', async () => {
    await owner.query(DROP_ROW_UPDATE, ['base-3']);
    const before = await drifts();
    const round = new AuditRound(auditOf(world), { rowsPerTurn: 7, repair: true });
    const found = [];
    for (let ended = false; !ended;) {
      const { report, roundEnded } = await round.turn();
      found.push(...report.findings.filter((f) => f.kind === 'row'));
      ended = roundEnded;
    }
    expect(found).toMatchObject([
      { ref: { id: 'base-3' }, repaired: true, fields: expect.arrayContaining(['state', 'status']) as unknown },
    ]);
    expect(await drifts()).toBe(before + 1);
    expect(await world.job('base-3')).toMatchObject({ status: 'succeeded' });
    await expectClean(world);
  });

  it('repairs a dropped update of row and counters alike', async () => {
    await owner.query(DROP_ROW_UPDATE, ['base-6']);
    await owner.query(
      'UPDATE jobwarden.queue_counters SET succeeded = succeeded - 1, queued = queued + 1 WHERE shard = (SELECT shard FROM jobwarden.jobs WHERE job_id = $1)',
      ['base-6'],
    );
    const report = await auditOf(world).run({
      scope: { job: { namespace: 'default', queue: 'q', id: 'base-6' } },
      repair: true,
    });
    expect(report).toMatchObject({ rows: 1, drifted: 1, repaired: 1 });
    await expectClean(world);
  });

  it('only looks unless it is told to repair', async () => {
    await owner.query(DROP_ROW_UPDATE, ['base-9']);
    expect(await auditOf(world).run({ scope: 'all' })).toMatchObject({ drifted: 1, repaired: 0 });
    expect(await world.job('base-9')).toMatchObject({ status: 'queued' });
    expect(await auditOf(world).run({ scope: 'all', repair: true })).toMatchObject({ drifted: 1, repaired: 1 });
    await expectClean(world);
  });

  it('repairs a row whose state cannot even be read', async () => {
    await owner.query(`UPDATE jobwarden.jobs SET state = '{' WHERE job_id = 'base-5'`);
    expect(await auditOf(world).run({ scope: 'all', repair: true })).toMatchObject({ drifted: 1, repaired: 1 });
    await expectClean(world);
  });

  it('finds counters and run times that are off, and adds what is missing', async () => {
    await owner.query(
      'UPDATE jobwarden.queue_counters SET retries = retries + 5 WHERE shard = (SELECT min(shard) FROM jobwarden.queue_counters)',
    );
    await owner.query(
      'UPDATE jobwarden.run_times SET count = count + 2 WHERE ctid = (SELECT min(ctid) FROM jobwarden.run_times)',
    );
    const report = await auditOf(world).run({ scope: 'all', repair: true });
    expect(report.findings).toHaveLength(2);
    expect(report.findings[0]).toMatchObject({ kind: 'counter', queue: 'q', counter: 'retries', repaired: true });
    await expectClean(world);
  });

  it('reports what cannot be repaired: entries without a row, a row without entries, a newer row', async () => {
    await history(world, 'lost', 3);
    await owner.query(`DELETE FROM jobwarden.jobs WHERE job_id = 'lost-1'`);
    await owner.query(`UPDATE jobwarden.jobs SET fold_version = 99 WHERE job_id = 'lost-2'`);
    await owner.query(
      `SET session_replication_role = replica; DELETE FROM jobwarden.events WHERE job_key = (SELECT job_key FROM jobwarden.jobs WHERE job_id = 'lost-0'); SET session_replication_role = origin`,
    );
    const report = await auditOf(world).run({ scope: 'all', repair: true });
    const kinds = report.findings.filter((f) => f.kind !== 'counter').map((f) => f.kind);
    expect(kinds.sort()).toEqual(['newer', 'orphan', 'positions', 'unlogged']);
    await owner.query(`DELETE FROM jobwarden.jobs WHERE job_id IN ('lost-0', 'lost-2')`);
    await owner.query(
      `SET session_replication_role = replica; DELETE FROM jobwarden.events WHERE job_key NOT IN (SELECT job_key FROM jobwarden.jobs); SET session_replication_role = origin`,
    );
    await auditOf(world).run({ scope: 'all', repair: true });
  });

  it('finds a shard counter that was set back behind its log', async () => {
    const [shard] = await owner.query<{ shard: number }>('SELECT shard FROM jobwarden.events WHERE number > 1 LIMIT 1');
    const [was] = await owner.query<{ number: number }>('SELECT number FROM jobwarden.shards WHERE shard = $1', [
      shard!.shard,
    ]);
    await owner.query('UPDATE jobwarden.shards SET number = 1 WHERE shard = $1', [shard!.shard]);
    const report = await auditOf(world).run({ scope: 'all' });
    const found = report.findings.find((f) => f.kind === 'positions' && f.shard === shard!.shard);
    expect(found).toMatchObject({ counter: 1, beyond: was!.number - 1 });
    await owner.query('UPDATE jobwarden.shards SET number = $2 WHERE shard = $1', [shard!.shard, was!.number]);
  });

  it('looks at a sample of the size asked for', async () => {
    expect(await auditOf(world).run({ scope: { sample: 10 } })).toMatchObject({
      rows: 10,
      differences: 0,
      checked: [],
    });
    expect((await auditOf(world).run({ scope: { sample: 1_000 } })).rows).toBe(40);
  });

  it('reads a log of any length in pages', async () => {
    const worker = { worker: { id: 'w1' } };
    await world.send({ type: 'queued', job: 'long' }, { type: 'started', job: 'long', ...worker });
    for (let page = 0; page < 5; page += 1) {
      await world.send(
        ...Array.from({ length: 900 }, () => ({
          type: 'lease-renewal-failed',
          job: 'long',
          reason: 'timeout',
          ...worker,
        })),
      );
    }
    const report = await auditOf(world).run({ scope: { job: { namespace: 'default', queue: 'q', id: 'long' } } });
    expect(report).toMatchObject({ rows: 1, differences: 0 });
    expect(report.events).toBeGreaterThan(4_500);
  });

  it('leaves alone what lies below the retention line, and knows its jobs by their summaries', async () => {
    await history(world, 'old', 3);
    const [key] = await owner.query<{ period: number }>(`SELECT period FROM jobwarden.jobs WHERE job_id = 'old-0'`);
    await owner.query(
      `INSERT INTO jobwarden.job_summaries (job_key, queue_id, job_id, status, attempt, token, since_ms)
       SELECT job_key, queue_id, job_id, status, attempt, 1, since_ms FROM jobwarden.jobs WHERE job_id = 'old-0'`,
    );
    await owner.query(`DELETE FROM jobwarden.jobs WHERE job_id = 'old-0'`);
    const report = await auditOf(world).run({ scope: 'all' });
    expect(report.findings.filter((f) => f.kind === 'counter')).toEqual([]);
    await owner.query('UPDATE jobwarden.installation SET retention_line = $1', [key!.period + 1]);
    await owner.query(DROP_ROW_UPDATE, ['base-0']);
    expect(await auditOf(world).run({ scope: { sample: 1_000 } })).toMatchObject({ rows: 0, differences: 0 });
    await owner.query(`UPDATE jobwarden.installation SET retention_line = -2147483648`);
  });

  it('counts in exclusive turns, so that two repairs at once correct a counter once', async () => {
    await auditOf(world).run({ scope: 'all', repair: true });
    await owner.query(
      'UPDATE jobwarden.queue_counters SET anomalies = anomalies + 3 WHERE shard = (SELECT min(shard) FROM jobwarden.queue_counters)',
    );
    const audits = [1, 2, 3].map(() => auditOf(world).run({ scope: 'all', repair: true }));
    const found = (await Promise.all(audits)).flatMap((r) => r.findings.filter((f) => f.kind === 'counter'));
    expect(found).toHaveLength(1);
  });
});
