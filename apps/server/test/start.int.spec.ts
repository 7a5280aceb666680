import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvironment, type Environment } from '#libs/config';
import { useTestDatabase } from '#libs/testing';
import { Gate } from '../src/boot/gate.js';
import { Lifecycle } from '../src/boot/lifecycle.js';
import { banner, startFailure } from '../src/boot/messages.js';
import { asOwner, event, TestService } from './service.fixture.js';

const ADDRESS = { host: '127.0.0.1', port: 0 };

function environment(more: Record<string, string> = {}): Environment {
  const parsed = readEnvironment({ JOBWARDEN_HTTP_PORT: '7411', ...more });
  if (!parsed.ok) throw new Error('the defaults must be valid');
  return parsed.value;
}

describe('the start on a restored database', () => {
  const database = useTestDatabase();

  it('looks for that before anything else, and is ready only then', async () => {
    await asOwner(
      database.url,
      `UPDATE jobwarden.installation i SET timeline = 1, database_oid = 1, log_oid = 1,
         system_identifier = (SELECT s.system_identifier::text FROM pg_control_system() s)`,
    );
    const service = await TestService.start(database.url);
    try {
      expect((await service.get('/v1/actions')).body['restored']).toBe('it is a copy of another database of this server');
    } finally {
      await service.stop();
    }
  });
});

describe('the start', () => {
  it('answers probes before anything else is there', async () => {
    const lifecycle = new Lifecycle();
    const gate = await Gate.open(ADDRESS, lifecycle);
    try {
      expect((await fetch(`${gate.url}/healthz`)).status).toBe(200);
      for (const phase of ['starting', 'migrating'] as const) {
        lifecycle.to(phase);
        const ready = await fetch(`${gate.url}/readyz`);
        expect(ready.status).toBe(503);
        expect(ready.headers.get('retry-after')).toBe('1');
        expect(await ready.json()).toMatchObject({ code: phase, status: 503 });
        expect((await fetch(`${gate.url}/v1/jobs`)).status).toBe(503);
      }
    } finally {
      await gate.close(1_000);
    }
  });

  it('says in words what to do about a taken port', async () => {
    const gate = await Gate.open(ADDRESS, new Lifecycle());
    const port = Number(new URL(gate.url).port);
    const error = await Gate.open({ host: '127.0.0.1', port }, new Lifecycle()).then(
      () => null,
      (e: unknown) => e,
    );
    await gate.close(1_000);
    expect(startFailure(error, environment())).toContain('JOBWARDEN_HTTP_PORT=0');
    expect(startFailure(new Error('something else'), environment())).toBe(null);
  });

  it('says in words what is wrong with the data folder, and never that it is a port', () => {
    const denied = Object.assign(new Error("EACCES: permission denied, mkdir '/data'"), { code: 'EACCES', path: '/data' });
    expect(startFailure(denied, environment())).toContain('JOBWARDEN_DATA_DIR=');
    const port = Object.assign(new Error('listen EACCES'), { code: 'EACCES', syscall: 'listen' });
    expect(startFailure(port, environment())).toContain('JOBWARDEN_HTTP_PORT');
  });

  it.each([
    ['28P01', 'the user or the password'],
    ['3D000', 'createdb'],
    ['42501', 'CREATEROLE'],
  ])('says in words what a database means by %s, without the address', (code, words) => {
    const external = environment({ JOBWARDEN_DATABASE_URL: 'postgres://app:hunter2@db/jobs' });
    const told = startFailure(Object.assign(new Error('what the server says'), { code }), external);
    expect(told).toContain(words);
    expect(told).toContain('what the server says');
    expect(told).not.toContain('hunter2');
  });
});

describe('the banner', () => {
  it('leads to a job that comes back where the starter policy lets it', () => {
    const { configFile, ...rest } = environment();
    expect(configFile).toBe(null);
    const options = { demo: false, jobId: 'try-1' };
    const starter = banner('http://x', { ...rest, configFile: join(rest.dataDir, 'policy.yaml') }, options);
    expect(starter).toContain('the job comes back');
    expect(starter).toContain('http://x/v1/queues/playground/jobs/try-1');
    const other = banner('http://x', { ...rest, configFile: '/etc/jobwarden.yaml' }, options);
    expect(other).toContain('the policy decides');
    expect(banner('http://x', environment(), { ...options, demo: true })).not.toContain('Try it');
  });

  it('begins with the dashboard, where there is one', () => {
    const options = { demo: true, jobId: 'try-1' };
    expect(banner('http://x', environment(), options)).toContain('Dashboard http://x/\n');
    expect(banner('http://x', { ...environment(), dashboard: 'off' }, options)).not.toContain('Dashboard');
  });
});

describe('the end', () => {
  const database = useTestDatabase();

  it('finishes what is under way, takes nothing new, and leaves no connection and no lease', async () => {
    const service = await TestService.start(database.url);
    await service.send(event('queued', 'before'));
    const underWay = Array.from({ length: 20 }, (_, i) =>
      service.call('POST', '/v1/events', { body: event('queued', `during-${String(i)}`) }),
    );
    const [answers] = await Promise.all([Promise.all(underWay), service.stop(), service.stop()]);
    expect(answers.map((a) => a.status)).toEqual(answers.map(() => 200));
    const [stored] = await asOwner(
      database.url,
      `SELECT count(*)::int AS jobs FROM jobwarden.jobs WHERE job_id LIKE 'during-%' AND row_version > 0`,
    );
    expect(stored?.['jobs']).toBe(20);
    const [held] = await asOwner(
      database.url,
      'SELECT count(*)::int AS held FROM jobwarden.publishers WHERE holder IS NOT NULL',
    );
    expect(held?.['held']).toBe(0);
    await service.stop();
  });

  it('is ready again only with its database', async () => {
    const service = await TestService.start(database.url);
    try {
      expect((await service.get('/readyz')).body).toEqual({ status: 'ready' });
      await asOwner(
        database.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      expect((await service.get('/v1/jobs')).status).toBeLessThan(504);
      await expect.poll(async () => (await service.get('/readyz')).status, { timeout: 10_000 }).toBe(200);
    } finally {
      await service.stop();
    }
  });
});
