import { afterEach, expect, it } from 'vitest';
import { migrate, migrateDown, schemaStanding } from '#libs/postgres';
import { Upgrade } from './upgrade.fixture.js';

let at: Upgrade;
afterEach(() => at.end());

it('of replicas and commands that start at once on an empty database one migrates, and all of them go on', async () => {
  at = await Upgrade.on({ empty: true });
  const { database } = at;
  const commands = [at.migrating(), at.migrating()];
  const services = [await at.serving(), await at.serving()];
  for (const service of services) await service.waitForOk(`${service.url}/readyz`, 60_000);
  const ended = await Promise.all(commands.map((one) => one.exited));
  expect(ended).toEqual([{ code: 0, signal: null }, { code: 0, signal: null }]);
  const ran = [...commands, ...services].flatMap((one) => one.output().match(/\bran \w+(?= \(\d+ ms\))/gu) ?? []);
  const { applied, pending } = await schemaStanding(database.url);
  expect(pending).toEqual([]);
  expect(ran.sort()).toEqual(applied.map((name) => `ran ${name}`).sort());
});

it('a process that is killed in the middle of a migration gives the lock back, and what the server still did for it', async () => {
  at = await Upgrade.on();
  const { database, other } = at;
  await migrateDown(database.url, 1);
  // The line of the migration takes ten minutes to be written.
  await other.query(`create function public.slowly() returns trigger language plpgsql as 'begin perform pg_sleep(600); return new; end'`);
  await other.query('create trigger slowly before insert on public.jobwarden_migrations for each row execute function public.slowly()');
  const first = at.migrating();
  await first.waitForOutput(/running \w+ \(1 of 1\)/u);
  const second = at.migrating('--wait', '30s');
  await second.waitForOutput(new RegExp(`another process migrates, jobwarden-migrate \\S+:${String(first.pid)} \\(session`, 'u'));
  await first.kill();
  await other.query(`create or replace function public.slowly() returns trigger language plpgsql as 'begin return new; end'`);
  expect(await second.exited).toMatchObject({ code: 0 });
  expect(second.output()).toMatch(/ran \w+ \(\d+ ms\)/u);
});

it('a start that may not migrate ends with the command that is missing, and serves without any right to change tables', async () => {
  at = await Upgrade.on();
  const { database, other } = at;
  const server = `server_${database.name}`;
  const url = Object.assign(new URL(database.url), { username: server, password: 'secret' }).href;
  await migrateDown(database.url, 1);
  await other.query(`create role ${server} login password 'secret' in role jobwarden_app`);
  try {
    const refused = await at.serving({ JOBWARDEN_DATABASE_URL: url, JOBWARDEN_MIGRATE: 'off' });
    const without = await at.serving({ JOBWARDEN_DATABASE_URL: url });
    const dry = at.migrating('--dry-run');
    expect(await refused.exited).toMatchObject({ code: 1 });
    expect(refused.output()).toMatch(/lacks 1 of this release's migrations .*run: jobwarden migrate\n/su);
    expect(await without.exited).toMatchObject({ code: 1 });
    expect(without.output()).toContain('lacks a right');
    expect([(await dry.exited).code, dry.output()]).toEqual([1, expect.stringMatching(/would run \w+\n\d+ are in force, 1 would run\.\n/u) as unknown]);
    await migrate(database.url);
    // Either way: where nothing is to be migrated nothing is asked of it.
    const served = await Promise.all(['off', 'on'].map((migrates) => at.serving({ JOBWARDEN_DATABASE_URL: url, JOBWARDEN_MIGRATE: migrates })));
    const event = { specversion: '1.0', source: 'test', subject: 'a', type: 'jobwarden.job.queued.v1', data: { queue: 'q' } };
    for (const [i, service] of served.entries()) {
      await service.waitForOk(`${service.url}/readyz`);
      const sent = await fetch(`${service.url}/v1/events`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ...event, id: String(i) }) });
      expect(await sent.json()).toMatchObject({ results: [{ outcome: 'appended' }] });
    }
    for (const service of served) await service.stop();
  } finally {
    await at.killAll();
    await other.query(`drop role ${server}`);
  }
});
