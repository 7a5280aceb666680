import { afterEach, expect, it } from 'vitest';
import { migrateDown } from '#libs/postgres';
import { Upgrade } from './upgrade.fixture.js';

let at: Upgrade;
afterEach(() => at.end());

it('a replica is alive and not ready while another process migrates, and says whom it waits for', async () => {
  at = await Upgrade.on();
  const { database, other } = at;
  await migrateDown(database.url, 1);
  await other.query('begin');
  await other.query('select pg_advisory_xact_lock(7411000001)');
  const service = await at.serving();
  await service.waitForOutput(/migration: waiting: another process migrates, somebody \(session/u);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  const ready = await fetch(`${service.url}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { code: 'migrating' }]);
  const late = at.migrating('--wait', '0');
  expect(await late.exited).toMatchObject({ code: 2 });
  expect(late.output()).toContain('Refused (migration_locked): another process migrates, and has not finished: somebody (session');
  await other.query('commit');
  await service.waitForOk(`${service.url}/readyz`);
});
