import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase, freePort, startServerProcess, waitUntil, type TestDatabase, type TestProcess } from '#libs/testing';
import { Emitter, SOURCE } from '../chaos/emitter.js';

/** Case F5, and the deaths that the embedded default has to survive. */
describe('the service while its database goes', () => {
  const cleanUp: (() => unknown)[] = [];

  afterEach(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  });

  function newFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'jobwarden-outage-'));
    cleanUp.push(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    return folder;
  }

  async function start(env: Readonly<Record<string, string>>, port: number): Promise<TestProcess> {
    const service = await startServerProcess({
      readyUrl: `http://127.0.0.1:${String(port)}/readyz`,
      withinMs: 60_000,
      env: { JOBWARDEN_HTTP_PORT: String(port), JOBWARDEN_LOG_LEVEL: 'warn', ...env },
    });
    cleanUp.push(async () => await service.kill());
    return service;
  }

  /** One job after the other, each repeated until it is acknowledged. */
  async function emitUntil(emitter: Emitter, stopped: AbortSignal): Promise<void> {
    for (let n = 0; !stopped.aborted; n += 1) {
      const subject = `job-${String(n)}`;
      const data = { queue: 'q' };
      await emitter.send([{ id: emitter.nextId(), subject, type: 'jobwarden.job.queued.v1', data }]);
      await emitter.send([{ id: emitter.nextId(), subject, type: 'jobwarden.job.succeeded.v1', data }]);
    }
  }

  async function missing(url: string, emitter: Emitter): Promise<string[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query<{ id: string }>('SELECT id FROM jobwarden.events WHERE source = $1', [SOURCE]);
      const there = new Set(rows.map((r) => r.id));
      return [...emitter.acknowledged.keys()].filter((id) => !there.has(id));
    } finally {
      await client.end();
    }
  }

  it('lives on when all its sessions are ended again and again, and loses nothing it acknowledged', async () => {
    const database: TestDatabase = await createTestDatabase();
    cleanUp.push(async () => {
      await database.drop();
    });
    const port = await freePort();
    const service = await start({ JOBWARDEN_DATABASE_URL: database.url, HOME: newFolder() }, port);
    const url = `http://127.0.0.1:${String(port)}`;
    const stopped = new AbortController();
    const emitter = new Emitter(() => url, stopped.signal);
    const emitting = emitUntil(emitter, stopped.signal);

    const admin = new pg.Client({ connectionString: database.url, application_name: 'outage' });
    await admin.connect();
    let ended = 0;
    for (let round = 0; round < 12; round += 1) {
      await delay(700);
      const { rowCount } = await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name <> 'outage'`,
      );
      ended += rowCount ?? 0;
    }
    await admin.end();
    const acknowledged = emitter.acknowledged.size;
    await waitUntil('events are acknowledged again', () => emitter.acknowledged.size > acknowledged + 50, { withinMs: 10_000 });
    stopped.abort();
    await emitting;
    expect(ended).toBeGreaterThan(20);
    expect(await missing(database.url, emitter)).toEqual([]);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it('brings its embedded server back when that is killed under it', async () => {
    const folder = newFolder();
    const port = await freePort();
    const service = await start({ JOBWARDEN_DATA_DIR: folder, HOME: folder }, port);
    const stopped = new AbortController();
    const emitter = new Emitter(() => `http://127.0.0.1:${String(port)}`, stopped.signal);
    const emitting = emitUntil(emitter, stopped.signal);
    await waitUntil('events are acknowledged', () => emitter.acknowledged.size > 50, { withinMs: 10_000 });
    process.kill(postmasterPid(folder), 'SIGKILL');
    const before = emitter.acknowledged.size;
    await waitUntil('events are acknowledged again', () => emitter.acknowledged.size > before + 50, { withinMs: 30_000 });
    stopped.abort();
    await emitting;
    const ids = await eventIds(`http://127.0.0.1:${String(port)}`, emitter);
    expect(ids).toEqual([]);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it('starts again on the same data after both were killed', async () => {
    const folder = newFolder();
    const port = await freePort();
    const env = { JOBWARDEN_DATA_DIR: folder, HOME: folder };
    const first = await start(env, port);
    const stopped = new AbortController();
    const emitter = new Emitter(() => `http://127.0.0.1:${String(port)}`, stopped.signal);
    const emitting = emitUntil(emitter, stopped.signal);
    await waitUntil('events are acknowledged', () => emitter.acknowledged.size > 50, { withinMs: 10_000 });
    process.kill(postmasterPid(folder), 'SIGKILL');
    await first.kill();
    stopped.abort();
    await emitting;
    const second = await start(env, port);
    expect(await eventIds(`http://127.0.0.1:${String(port)}`, emitter)).toEqual([]);
    expect(await second.stop()).toEqual({ code: 0, signal: null });
  });

  /** Acknowledged events that the jobs' timelines do not show. */
  async function eventIds(url: string, emitter: Emitter): Promise<string[]> {
    const jobs = Map.groupBy(emitter.acknowledged.values(), (e) => e.subject);
    const gone: string[] = [];
    for (const [subject, events] of jobs) {
      const answer = await fetch(`${url}/v1/queues/q/jobs/${subject}/events`);
      const { items } = (await answer.json()) as { items: { id: string }[] };
      const there = new Set(items.map((i) => i.id));
      gone.push(...events.filter((e) => !there.has(e.id)).map((e) => e.id));
    }
    return gone;
  }
});

function postmasterPid(dataDir: string): number {
  const [pid = ''] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  return Number(pid);
}
