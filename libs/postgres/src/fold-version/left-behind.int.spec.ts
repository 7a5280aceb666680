import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Audit } from '#libs/application';
import { NEWEST_FOLD_VERSION } from '#libs/domain';
import { World, fixedPolicies, useTestDatabase } from '#libs/testing';
import { PgAuditStore } from '../audit/pg-audit-store.js';
import { migrate } from '../migrate/migrate.js';
import { PgPublisherLeases } from '../publish/pg-publisher-leases.js';

const NEWER = NEWEST_FOLD_VERSION + 1;
const TOLD = `folded by version ${String(NEWER)}, this program knows ${String(NEWEST_FOLD_VERSION)}: run the newer Jobwarden`;

/** As a replica finds it that was paused while the switch was made, or that is started afterwards. */
describe('a program that the switch has left behind', () => {
  const database = useTestDatabase();
  let world: World;
  const leases = () => new PgPublisherLeases(world.database);
  const replica = randomUUID();

  beforeAll(async () => {
    world = new World(database.url, fixedPolicies({ idempotent: true }, 'act'));
    await world.send({ type: 'queued', job: 'a' }, { type: 'started', job: 'a', worker: { id: 'w1' } });
    expect(world.clock.leftBehind).toBeNull();
    expect(await leases().hold(replica, 60_000)).toHaveLength(16);
    await world.database.query('UPDATE jobwarden.installation SET fold_version = $1', [NEWER]);
  });
  afterAll(async () => {
    await world.close();
  });

  it('is refused at its start, in words', async () => {
    await expect(migrate(database.url)).rejects.toMatchObject({ code: 'fold_version', message: expect.stringContaining(TOLD) as unknown });
  });

  it('writes nothing any more, and knows it by its next beat', async () => {
    await expect(world.send({ type: 'queued', job: 'b' })).rejects.toMatchObject({ code: 'fold_version' });
    // Of a job that it remembers.
    await expect(world.send({ type: 'succeeded', job: 'a' })).rejects.toMatchObject({ code: 'fold_version' });
    await world.clock.beat();
    expect(world.clock.leftBehind).toContain(TOLD);
    const rows = await world.database.query('SELECT job_id, status FROM jobwarden.jobs');
    expect(rows).toEqual([{ job_id: 'a', status: 'processing' }]);
  });

  it('gives its shards to those who can read the rows', async () => {
    expect(await leases().hold(replica, 60_000)).toEqual([]);
    expect(await world.database.query('SELECT 1 FROM jobwarden.publishers WHERE holder IS NOT NULL')).toEqual([]);
  });

  it('repairs nothing', async () => {
    const audit = new Audit(new PgAuditStore(world.database, 16));
    await expect(audit.run({ scope: 'all', repair: true })).rejects.toMatchObject({ code: 'fold_version' });
  });
});
