import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#libs/embedded-postgres';
import { freePort, startServerProcess, type TestProcess } from '#libs/testing';

/** A server of its own: roles belong to the whole server, and here nobody has made Jobwarden's yet. */
describe('an external database whose owner is no superuser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-external-'));
  let server: EmbeddedPostgres | null = null;
  let service: TestProcess | null = null;

  afterEach(async () => {
    await service?.kill();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ownDatabase(adminUrl: string): Promise<string> {
    const admin = new pg.Client({ connectionString: adminUrl });
    await admin.connect();
    await admin.query(`CREATE ROLE jobwarden LOGIN CREATEROLE PASSWORD 'secret'`);
    await admin.query('CREATE DATABASE jobs OWNER jobwarden');
    await admin.end();
    const url = new URL(adminUrl);
    url.username = 'jobwarden';
    url.password = 'secret';
    url.pathname = '/jobs';
    return url.href;
  }

  it('is migrated and served, and served again by the next start', async () => {
    server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), fast: true });
    const databaseUrl = await ownDatabase(server.adminUrl);
    const port = await freePort();
    const url = `http://127.0.0.1:${String(port)}`;
    const answers: unknown[] = [];
    for (const id of ['1', '2']) {
      service = await startServerProcess({
        readyUrl: `${url}/readyz`,
        withinMs: 60_000,
        env: { HOME: folder, JOBWARDEN_DATABASE_URL: databaseUrl, JOBWARDEN_HTTP_PORT: String(port) },
      });
      const answer = await fetch(`${url}/v1/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          specversion: '1.0',
          id,
          source: 'test',
          subject: 'a',
          type: 'jobwarden.job.started.v1',
          data: { queue: 'q', worker: { id: `w${id}` } },
        }),
      });
      answers.push(await answer.json());
      expect(await service.stop()).toEqual({ code: 0, signal: null });
    }
    expect(answers).toMatchObject([{ results: [{ outcome: 'appended' }] }, { results: [{ outcome: 'appended' }] }]);
  });
});
