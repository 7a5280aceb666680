import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Audit, AuditRound, Rebuild } from '#libs/application';
import type { StateCodec } from '#libs/domain';
import { PgAuditStore, PgFoldVersionStore } from '#libs/postgres';
import { World, fixedPolicies, useTestDatabase } from '#libs/testing';

/** This file is the next release: a program that knows one fold version more than the database has in force. */
vi.mock('../../libs/domain/src/job/fold/codecs.js', async (original) => {
  const { CODECS } = await original<{ readonly CODECS: readonly [StateCodec, ...StateCodec[]] }>();
  const { nextCodec } = await import('../chaos/versions/next-codec.js');
  const [oldest, ...later] = CODECS;
  return { CODECS: [oldest, ...later, nextCodec(CODECS.at(-1) ?? oldest)] };
});

const worker = { worker: { id: 'w1' }, leaseMs: 60_000 };

describe('a newer program on a database that was made by an older one', () => {
  const database = useTestDatabase();
  let world: World;
  let versions: PgFoldVersionStore;
  let audit: Audit;
  let old: number;

  beforeAll(async () => {
    world = new World(database.url, fixedPolicies({ idempotent: true }, 'act'));
    versions = new PgFoldVersionStore(world.database);
    audit = new Audit(new PgAuditStore(world.database, 16));
    old = (await versions.read()).inForce;
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', ...worker }, { type: 'queued', job: 'b' });
  });
  afterAll(async () => {
    await world.close();
  });

  const stored = async () =>
    await world.database.query<{ id: string; version: number; marked: boolean }>(
      `SELECT job_id AS id, fold_version AS version, state LIKE '{"v":%' AS marked FROM jobwarden.jobs ORDER BY job_id`,
    );
  const row = (id: string, version: number) => ({ id, version, marked: version > 1 });

  it('writes the version in force, not its newest', async () => {
    expect((await versions.read()).knows.newest).toBe(old + 1);
    await world.send({ type: 'succeeded', job: 'b' });
    expect(await stored()).toEqual([row('a', old), row('b', old)]);
    await expect(audit.run({ scope: 'all' })).resolves.toMatchObject({ differences: 0, outdated: 0 });
  });

  it('is not switched to a version that it does not know, nor while a live replica does not', async () => {
    await expect(versions.switchTo(old + 2)).resolves.toMatchObject({ kind: 'refused', code: 'fold_version_unknown' });
    await world.clock.beat();
    await world.database.query(
      `INSERT INTO jobwarden.replicas (replica_id, fold_version, roles, name) VALUES (gen_random_uuid(), $1, 'api', 'host-7/12')`,
      [old],
    );
    const refused = await versions.switchTo(old + 1);
    expect(refused).toMatchObject({ kind: 'refused', code: 'replicas_behind', replicas: [{ name: 'host-7/12', newest: old }] });
    expect(refused.kind === 'refused' ? refused.detail : '').toContain(`host-7/12 (up to ${String(old)})`);
    expect((await versions.read()).inForce).toBe(old);
    await world.database.query(`UPDATE jobwarden.replicas SET beat_at = now() - interval '1 minute' WHERE name = 'host-7/12'`);
  });

  it('is switched once, and never back', async () => {
    await expect(versions.switchTo(old + 1)).resolves.toEqual({ kind: 'switched', from: old, to: old + 1 });
    await expect(versions.switchTo(old + 1)).resolves.toEqual({ kind: 'unchanged', inForce: old + 1 });
    await expect(versions.switchTo(old)).resolves.toMatchObject({ kind: 'refused', code: 'fold_version_lower' });
  });

  it('then stores new jobs in the new version, and leaves a row in its own until its whole log is folded', async () => {
    await world.send({ type: 'queued', job: 'c' }, { type: 'heartbeat', job: 'a', ...worker }, { type: 'started', job: 'a', worker: { id: 'w2' } });
    await world.send({ type: 'started', job: 'c', ...worker });
    expect(await stored()).toEqual([row('a', old), row('b', old), row('c', old + 1)]);
    expect((await versions.read()).rows).toEqual([
      { foldVersion: old, count: 2 },
      { foldVersion: old + 1, count: 1 },
    ]);
  });

  it('finds what drifted in a row of either version, and takes none for its version alone', async () => {
    const report = await audit.run({ scope: 'all' });
    expect(report).toMatchObject({ rows: 3, differences: 0, outdated: 2, refolded: 0 });
    await world.database.query(`UPDATE jobwarden.jobs SET status = 'queued' WHERE job_id IN ('a', 'c')`);
    await expect(audit.run({ scope: 'all' })).resolves.toMatchObject({ drifted: 2, outdated: 1 });
    await world.database.query(`UPDATE jobwarden.jobs SET status = 'processing' WHERE job_id IN ('a', 'c')`);
  });

  it('moves the rows within a round of the audit: no drift, and the schedule stays', async () => {
    const before = await world.job('a');
    const round = new AuditRound(audit, { rowsPerTurn: 2, repair: true });
    const turns = [await round.turn(), await round.turn()];
    expect(turns.at(-1)?.roundEnded).toBe(true);
    expect(turns.reduce((sum, { report }) => sum + report.refolded, 0)).toBe(2);
    expect(turns.reduce((sum, { report }) => sum + report.drifted, 0)).toBe(0);
    expect(await stored()).toEqual(['a', 'b', 'c'].map((id) => row(id, old + 1)));
    const { lookAtMs, waitsFor } = await world.job('a');
    expect({ lookAtMs, waitsFor }).toEqual({ lookAtMs: before.lookAtMs, waitsFor: before.waitsFor });
    expect(await world.database.query('SELECT * FROM jobwarden.drifts')).toEqual([]);
    await expect(audit.run({ scope: 'all' })).resolves.toMatchObject({ differences: 0, outdated: 0 });
  });

  it('is what a rebuild does at once', async () => {
    const [one] = await world.database.query<{ state: string }>(`SELECT state FROM jobwarden.jobs WHERE job_id = 'a'`);
    await world.send({ type: 'succeeded', job: 'a', ...worker });
    await world.database.query(`UPDATE jobwarden.jobs SET fold_version = $1, state = '{"f":1}' WHERE job_id = 'a'`, [old]);
    const rebuild = new Rebuild(new PgAuditStore(world.database, 16), null);
    await expect(rebuild.run()).resolves.toMatchObject({ kind: 'done', rewritten: 1 });
    expect((await stored())[0]).toEqual(row('a', old + 1));
    expect(one?.state).toContain(`{"v":${String(old + 1)}`);
  });
});
