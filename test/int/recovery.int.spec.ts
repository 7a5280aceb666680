import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { PgRecoveryStore } from '#libs/postgres';
import { epochOfToken } from '#libs/domain';
import { World, createTestDatabase, fixedPolicies, type TestDatabase } from '#libs/testing';

const T0 = 1_700_000_000_000;
const LEASE_MS = 30_000;
const ask = { observeMs: LEASE_MS, rewinds: [], force: false };
const w1 = { worker: { id: 'w1' } };

describe('a database that is restored', () => {
  let first: TestDatabase;
  let backup: string;
  let worlds: World[];

  beforeEach(async () => {
    first = await createTestDatabase();
    backup = `${first.url}_restored`;
    worlds = [];
  });
  afterEach(async () => {
    for (const world of worlds) await world.close();
    await onServer(`DROP DATABASE IF EXISTS ${nameOf(backup)}`);
    await first.drop();
  });

  async function onServer(text: string): Promise<void> {
    const url = new URL(first.url);
    url.pathname = '/postgres';
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(text).finally(() => client.end());
  }

  function open(url: string): World {
    const world = new World(url, fixedPolicies({ claims: 'required', leaseMs: LEASE_MS, graceMs: 15_000 }, 'act'));
    worlds.push(world);
    return world;
  }

  it('is only observed until it is recovered, sends nothing for what has finished, and gives no token twice', async () => {
    let before = open(first.url);
    await before.startClock(T0);
    expect(await new PgRecoveryStore(before.database).notice()).toMatchObject({ restored: null });
    const names = Array.from({ length: 100 }, (_, i) => `old${String(i)}`);
    const fresh = Array.from({ length: 1_000 }, (_, i) => `new${String(i)}`);
    await before.send(...names.map((job) => ({ type: 'queued', job, id: `q/${job}` })));
    const tokens = new Set<string>();
    const claimed = async (world: World, id: string, claimId: string) => {
      const answer = await world.claim(id, { claimId, ...w1 });
      if (answer.kind !== 'granted') throw new Error(`${id}: ${JSON.stringify(answer)}`);
      return answer;
    };
    // Half of the old jobs run at the time of the backup.
    for (const id of names.slice(0, 50)) tokens.add(`${id}/${String((await claimed(before, id, '1')).token)}`);
    await before.close();
    worlds = [];
    await onServer(`CREATE DATABASE ${nameOf(backup)} TEMPLATE ${nameOf(first.url)}`);

    // What the backup does not have: the old ones end, or are claimed, and a thousand more come and end.
    before = open(first.url);
    for (const id of names.slice(50)) tokens.add(`${id}/${String((await claimed(before, id, '2')).token)}`);
    const ended = names.slice(0, 50).map((job) => ({ type: 'succeeded', job, id: `s/${job}`, ...w1, token: 1 }));
    const more = fresh.flatMap((job) => [{ type: 'queued', job, id: `q/${job}` }, { type: 'cancelled', job, id: `c/${job}` }]);
    await before.send(...ended);
    for (let at = 0; at < more.length; at += 500) await before.send(...more.slice(at, at + 500));

    const after = open(backup);
    const recovery = new PgRecoveryStore(after.database);
    expect(await recovery.notice()).toMatchObject({ restored: 'it is a copy of another database of this server' });
    const run = async () => {
      const all: string[] = [];
      for (let r = await after.run(); r.decided > 0; r = await after.run()) all.push(...r.rows.map(({ ref }) => ref.id));
      return all;
    };
    await after.at(T0 + 10 * LEASE_MS);
    // Fifty would be taken for lost now, though they have ended.
    expect(await after.run()).toMatchObject({ decided: 0, wouldHave: 0, held: 50 });
    expect(await after.claim('old99', { claimId: 'x', ...w1 })).toEqual({ kind: 'recovering' });

    expect(await recovery.recover(ask)).toMatchObject({ kind: 'recovered' });
    expect(await recovery.recover(ask)).toMatchObject({ kind: 'refused', code: 'not_restored' });
    // The emitters send again what they have kept, while it is still only observed.
    for (let at = 0; at < more.length; at += 500) await after.send(...more.slice(at, at + 500));
    await after.send(...ended);
    expect(await after.claim('old99', { claimId: 'x', ...w1 })).toEqual({ kind: 'recovering' });
    await after.at(T0 + 11 * LEASE_MS - 1);
    expect(await run()).toEqual([]);
    await after.at(T0 + 12 * LEASE_MS);
    await run();
    await after.at(T0 + 13 * LEASE_MS);
    await run();
    const commands = await after.database.query<{ job_id: string }>(
      `SELECT j.job_id FROM jobwarden.events e JOIN jobwarden.jobs j USING (job_key) WHERE e.type IN (104, 110)`,
    );
    expect(commands.filter(({ job_id: id }) => id.startsWith('new') || Number(id.slice(3)) < 50)).toEqual([]);
    // What was claimed in the time that is lost is granted anew, with a token that nobody has had.
    for (const id of names.slice(50)) {
      const { token } = await claimed(after, id, 'again');
      expect(tokens.has(`${id}/${String(token)}`)).toBe(false);
      expect(epochOfToken(token)).toBeGreaterThan(0);
    }
  });
});

function nameOf(url: string): string {
  return `"${new URL(url).pathname.slice(1)}"`;
}
