import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epochOfToken } from '#libs/domain';
import { postgresTool, postgresToolsLeftOut, waitUntil, type PostgresServer } from '#libs/testing';
import { asOwner, event, type Shipped } from '../cases/shipped.js';
import { claim, inEveryStatus, jobwarden, OWNER, Stage, STANDING, tool, urlOf, Writer } from './stage.js';

const STATUSES = `SELECT job_id, status, attempt, n FROM jobwarden.jobs WHERE job_id NOT LIKE 'written-%' AND job_id NOT LIKE 'late%' ORDER BY 1`;

const RIGHTS = `SELECT relname, relacl::text FROM pg_class WHERE relnamespace = 'jobwarden'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`;
/** As the page on backups has it. */
const ROLE_AND_DATABASE = ['CREATE ROLE jobwarden_app NOLOGIN', 'GRANT jobwarden_app TO jobwarden', 'CREATE DATABASE restored OWNER jobwarden'];

describe.skipIf(postgresToolsLeftOut())('a backup that was made while events came in, by the tools of PostgreSQL itself', () => {
  let stage: Stage;
  let standing: readonly object[];
  /** Acknowledged before the dump began; before the point to which the log is replayed. */
  let beforeDump: readonly string[];
  let beforePoint: readonly string[];
  let all: readonly string[];
  /** Of `late`: given out after the dump, and before the point. */
  let lateToken: number;
  const dump = () => join(stage.folder, 'jobwarden.dump');

  beforeAll(async () => {
    stage = new Stage();
    const archive = stage.subfolder('wal');
    const server = await stage.server('first', ['archive_mode=on', `archive_command=cp %p ${archive}/%f`]);
    await asOwner(server.url, OWNER);
    await asOwner(server.url, 'CREATE DATABASE jobwarden OWNER jobwarden');
    const url = urlOf(server, 'jobwarden');
    const service = await stage.service(url);
    await inEveryStatus(service, url);
    standing = await asOwner(url, STATUSES);
    await service.send([event('queued', 'late')]);
    const writer = new Writer(service);
    await waitUntil('events come in', () => writer.acknowledged.length > 0);
    beforeDump = [...writer.acknowledged];
    await tool('pg_dump', '--format=custom', `--file=${dump()}`, url);
    await tool('pg_basebackup', '-d', server.url, '-D', join(stage.folder, 'base'), '-X', 'stream', '-c', 'fast', '--no-sync');
    const given = await claim(service, 'q', 'late', 'before');
    lateToken = given.token;
    beforePoint = [...writer.acknowledged];
    await asOwner(server.url, `SELECT pg_create_restore_point('before_the_mistake')`);
    const known = writer.acknowledged.length;
    await waitUntil('more comes in', () => writer.acknowledged.length > known);
    await writer.stop();
    all = [...writer.acknowledged];
    await service.stop();
    await asOwner(server.url, 'SELECT pg_switch_wal()');
    await server.stop();
  });
  afterAll(() => stage.end());

  /** Observes only; then recovers, and goes on with nothing lost and no token given out twice. */
  async function goesOn(url: string, { sign, lateIsKnown, dryRun }: { readonly sign: RegExp; readonly lateIsKnown: boolean; readonly dryRun: boolean }): Promise<void> {
    const service = await stage.service(url);
    expect(await service.call('GET', '/v1/actions')).toMatchObject({ body: { restored: expect.stringMatching(sign) as unknown } });
    expect(await figure(service)).toBe('1');
    expect((await claim(service, 'q', 'queued', 'early')).status).toBe(503);
    const look = await service.call<{ decided: number; wouldHave: number }>('POST', '/v1/reconciliations', {});
    expect(look.body).toMatchObject({ decided: 0, wouldHave: 0 });
    expect(await asOwner(url, STATUSES)).toEqual(standing);

    const epoch = `SELECT epoch, restored IS NOT NULL AS restored FROM jobwarden.installation`;
    if (dryRun) {
      const dry = await jobwarden(url, 'recover', '--dry-run');
      expect([dry.code, dry.output]).toEqual([0, expect.stringMatching(sign) as unknown]);
      expect(await asOwner(url, epoch)).toEqual([{ epoch: '0', restored: true }]);
    }
    const recovered = await jobwarden(url, 'recover', '--observe', '2s');
    expect([recovered.code, recovered.output]).toEqual([0, expect.stringMatching(/^Restored: .+\nRecovered: the epoch is \d+/u) as unknown]);

    // Who ran goes on, with the token of before.
    const w = { worker: { id: 'w-first' }, attempt: 1, token: 1 };
    expect(await service.call('POST', '/v1/events', { specversion: '1.0', source: 'case', ...event('heartbeat', 'processing', { ...w, leaseMs: 600_000 }) })).toMatchObject({ body: { results: [{ outcome: 'recorded', state: 'go-on' }] } });
    await waitUntil('it is granted again', async () => (await claim(service, 'q', 'queued', 'after')).status === 201, { withinMs: 20_000 });
    expect(await service.send([event('succeeded', 'processing', w)])).toEqual(['appended']);
    await waitUntil('the figure falls', async () => (await figure(service)) === '0');
    await lateOne(service, lateIsKnown);
    expect(await jobwarden(url, 'audit')).toMatchObject({ code: 0 });
    await service.stop();
  }

  /** What was granted in the time that is lost is granted anew; the old token is then refused. */
  async function lateOne(service: Shipped, isKnown: boolean): Promise<void> {
    const w = { attempt: 1, token: lateToken, worker: { id: 'w-before' } };
    const again = await claim(service, 'q', 'late', 'again');
    if (isKnown) {
      expect(again.status).toBe(409);
      expect(await service.send([event('succeeded', 'late', w)])).toEqual(['appended']);
      return;
    }
    expect(again.status).toBe(201);
    expect(again.token).toBeGreaterThan(lateToken);
    expect(epochOfToken(again.token)).toBeGreaterThan(0);
    expect(await service.send([event('succeeded', 'late', w)])).toEqual(['refused']);
  }

  const written = async (url: string): Promise<ReadonlySet<string>> =>
    new Set((await asOwner<{ id: string }>(url, `SELECT job_id AS id FROM jobwarden.jobs WHERE job_id LIKE 'written-%' AND status = 'succeeded'`)).map(({ id }) => id));

  it('a dump, restored on another server: whole, only observed, and recovered; without its role it is mended by a migration', async () => {
    const server = await stage.server('second');
    await asOwner(server.url, OWNER);
    await asOwner(server.url, 'CREATE DATABASE half OWNER jobwarden');
    const half = await postgresTool('pg_restore', ['--dbname', urlOf(server, 'half'), dump()]);
    expect([half.code, half.output]).toEqual([1, expect.stringContaining('role "jobwarden_app" does not exist') as unknown]);
    expect(await jobwarden(urlOf(server, 'half'), 'migrate')).toMatchObject({ code: 0 });

    const mended = await asOwner(urlOf(server, 'half'), RIGHTS);
    await asOwner(server.url, 'DROP DATABASE half');
    await asOwner(server.url, 'DROP ROLE jobwarden_app');

    for (const statement of ROLE_AND_DATABASE) await asOwner(server.url, statement);
    const url = urlOf(server, 'restored');
    await tool('pg_restore', '--exit-on-error', '--dbname', url, dump());
    expect(mended).toEqual(await asOwner(url, RIGHTS));
    const there = await written(url);
    expect(beforeDump.filter((id) => !there.has(id))).toEqual([]);
    expect(all.filter((id) => !there.has(id)).length).toBeGreaterThan(0);
    await goesOn(url, { sign: /it is on another server/u, lateIsKnown: false, dryRun: true });
  });

  it('a base backup, with the log replayed to a point before a mistake: its timeline tells, and it is recovered', async () => {
    writeFileSync(join(stage.folder, 'base', 'recovery.signal'), '');
    const server: PostgresServer = await stage.server('base', [`restore_command=cp ${join(stage.folder, 'wal')}/%f %p`, 'recovery_target_name=before_the_mistake', 'recovery_target_action=promote', 'archive_mode=off']);
    const url = urlOf(server, 'jobwarden');
    await waitUntil('it has come to the point', async () => (await asOwner<{ r: boolean }>(server.url, 'SELECT pg_is_in_recovery() AS r'))[0]?.r === false, { withinMs: 30_000 });
    const there = await written(url);
    expect(beforePoint.filter((id) => !there.has(id))).toEqual([]);
    expect(all.filter((id) => !there.has(id)).length).toBeGreaterThan(0);
    await goesOn(url, { sign: /its server is on timeline 2, and was on 1/u, lateIsKnown: true, dryRun: false });
  });

  it('has every status in it', () => {
    expect(standing.map((row) => (row as { status: string }).status).sort()).toEqual(STANDING.map(([status]) => status).sort());
  });
});

async function figure(service: Shipped): Promise<string | undefined> {
  return /^jobwarden_restored(?:\{[^}]*\})? (\d+)$/mu.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1];
}
