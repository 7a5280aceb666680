import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#libs/embedded-postgres';
import { freePort, pgBouncerLeftOut, serverEntry, startPgBouncer, startProcess, type PgBouncer } from '#libs/testing';
import { Emitter } from '../emitter.js';
import { Load, POLICY } from '../load.js';
import { audited, newDatabase, untilLost, untilQuiet } from '../run.js';
import { Subscriber } from '../subscriber.js';
import { counted, findings } from '../verify.js';
import { Victim } from '../victim.js';

/** Far fewer than three replicas open of their own: transactions of all share them. */
const POOL = 12;
const POOLED = { JOBWARDEN_DATABASE_POOLING: 'transaction' };

describe.skipIf(pgBouncerLeftOut())('replicas behind PgBouncer in transaction mode (F4)', { timeout: 300_000 }, () => {
  let folder: string;
  let config: string;
  let postgres: EmbeddedPostgres;
  let direct: string;
  let pooler: PgBouncer | null;
  let replicas: Victim[];
  const end = new AbortController();

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-pooled-'));
    config = join(folder, 'policy.yaml');
    writeFileSync(config, POLICY);
    postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
    direct = await newDatabase(postgres.adminUrl);
    [pooler, replicas] = [null, []];
  });
  afterEach(async () => {
    end.abort();
    for (const replica of replicas) replica.kill();
    await pooler?.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('decide and send each thing once, also when one of the three is killed, and leave nothing in a session', async () => {
    pooler = await startPgBouncer({ url: direct, poolSize: POOL });
    const { url: databaseUrl } = pooler;
    for (const name of ['a', 'b', 'c']) {
      replicas.push(new Victim({ entry: serverEntry, databaseUrl, config, port: await freePort(), folder, name, env: POOLED }));
    }
    // All at once: they migrate under one lock.
    await Promise.all(replicas.map((replica) => replica.start(null)));
    const [first, last] = [replicas[0]!, replicas[2]!];
    let turn = 0;
    const emitter = new Emitter(() => replicas.filter((r) => r.alive)[(turn += 1) % 2]?.url ?? first.url, end.signal);
    const loadEnd = new AbortController();
    const load = new Load(emitter, loadEnd.signal, 20);
    const subscriber = new Subscriber(`${first.url}/v1/streams/commands?from=start`, end.signal, (m) => load.take(m));
    const running = load.run();
    const watch = new Sessions(direct);
    await watch.during(async () => {
      await untilLost(direct, { minLost: 20 });
      last.kill();
      await untilLost(direct, { minLost: 40 });
      await last.start(null);
      await untilLost(direct, { minLost: 60 });
    });
    loadEnd.abort();
    await running;
    expect(await untilQuiet(direct, load, 60_000)).toEqual([]);
    expect(await findings(direct, emitter, subscriber)).toEqual([]);
    expect(audited(databaseUrl, folder, POOLED)).toEqual([]);
    expect(watch.most).toBeGreaterThan(0);
    expect(watch.most).toBeLessThanOrEqual(POOL);
    expect(watch.found).toEqual([]);
    expect(await leftBehind(databaseUrl)).toEqual({ roles: ['postgres'], changed: [], prepared: 0 });
    expect((await counted(direct)).commands).toBeGreaterThan(40);
    end.abort();
    await subscriber.ended();
    await Promise.all(replicas.map((replica) => replica.stop()));
  });

  it('are refused at their start where they are not told of it, and the pooler drops the role in silence', async () => {
    pooler = await startPgBouncer({ url: direct, poolSize: POOL, settings: ['ignore_startup_parameters = options'] });
    const env = { JOBWARDEN_DATABASE_URL: pooler.url, JOBWARDEN_CONFIG: config, JOBWARDEN_HTTP_PORT: String(await freePort()) };
    const service = startProcess({ entry: serverEntry, env });
    expect((await service.exited).code).toBe(1);
    expect(service.output()).toContain('set JOBWARDEN_DATABASE_POOLING=transaction');
  });
});

/** Looks at the server's sessions while something goes on. */
class Sessions {
  most = 0;
  readonly found: string[] = [];

  constructor(private readonly url: string) {}

  async during(work: () => Promise<void>): Promise<void> {
    const over = new AbortController();
    const looking = this.look(over.signal);
    try {
      await work();
    } finally {
      over.abort();
      await looking;
    }
  }

  private async look(over: AbortSignal): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    while (!over.aborted) {
      const { rows } = await client.query<{ sessions: string; idle_locks: string; listening: string }>(`
        SELECT count(*) AS sessions,
               count(*) FILTER (WHERE a.state = 'idle' AND EXISTS (
                 SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.locktype = 'advisory')) AS idle_locks,
               count(*) FILTER (WHERE a.query ~* '^\\s*listen') AS listening
        FROM pg_stat_activity a WHERE a.datname = current_database() AND a.application_name LIKE 'jobwarden%'`);
      const { sessions, idle_locks: locks, listening } = rows[0]!;
      this.most = Math.max(this.most, Number(sessions));
      if (locks !== '0' || listening !== '0') this.found.push(`${locks} advisory locks of idle sessions, ${listening} that listen`);
      await delay(50);
    }
    await client.end();
  }
}

/** What the next user of the pool would find, on all of its connections at once. */
async function leftBehind(url: string): Promise<{ roles: string[]; changed: string[]; prepared: number }> {
  const clients = Array.from({ length: POOL }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  await Promise.all(clients.map((client) => client.query('BEGIN')));
  const all = await Promise.all(
    clients.map(async (client) => {
      const { rows } = await client.query<{ role: string; changed: string[]; prepared: number }>(`
        SELECT current_user::text AS role, (SELECT count(*)::integer FROM pg_prepared_statements) AS prepared,
               ARRAY(SELECT name FROM pg_settings WHERE source = 'session' AND name NOT IN ('application_name', 'client_encoding')) AS changed`);
      return rows[0]!;
    }),
  );
  await Promise.all(clients.map((client) => client.end()));
  return {
    roles: [...new Set(all.map((one) => one.role))],
    changed: [...new Set(all.flatMap((one) => one.changed))],
    prepared: all.reduce((sum, one) => sum + one.prepared, 0),
  };
}
