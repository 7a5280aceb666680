import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliEntry, createTestDatabase, ServerReplica, startProcess, waitUntil, type TestDatabase, type TestProcess } from '#libs/testing';

const workerEntry = join(import.meta.dirname, '../../../dist/test/packages/pg-boss-tap/worker-main.js');

interface JobView {
  readonly id: string;
  readonly status: string;
}

describe('a tap on pg-boss, by a role that may only read', () => {
  const role = `tap_${randomBytes(4).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-tap-'));
  const processes: TestProcess[] = [];
  let theirs: TestDatabase;
  let ours: TestDatabase;
  let service: ServerReplica;
  let owner: pg.Client;
  let boss: PgBoss;
  let tapUrl: URL;

  beforeAll(async () => {
    [theirs, ours] = [await createTestDatabase({ empty: true }), await createTestDatabase()];
    const policy = join(folder, 'policy.yaml');
    writeFileSync(policy, 'defaults: {owner: queue, grace: 1s}\n');
    service = await ServerReplica.start({ env: { JOBWARDEN_DATABASE_URL: ours.url, JOBWARDEN_CONFIG: policy, JOBWARDEN_LOG_LEVEL: 'warn' } });
    boss = new PgBoss({ connectionString: theirs.url, supervise: false, schedule: false });
    boss.on('error', () => undefined);
    await boss.start();
    await boss.createQueue('emails', { retryLimit: 2, expireInSeconds: 3 });
    await boss.createQueue('mixed', { retryLimit: 2, retryDelay: 1, partition: true });
    owner = new pg.Client({ connectionString: theirs.url });
    await owner.connect();
    await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'only-reads';
      GRANT USAGE ON SCHEMA pgboss TO ${role};
      GRANT SELECT ON ALL TABLES IN SCHEMA pgboss TO ${role};
      ALTER ROLE ${role} SET default_transaction_read_only = on`);
    tapUrl = new URL(theirs.url);
    [tapUrl.username, tapUrl.password] = [role, 'only-reads'];
  }, 60_000);
  afterAll(async () => {
    for (const started of processes) await started.kill();
    await service.kill();
    await boss.stop({ graceful: false });
    await owner.query(`DROP OWNED BY ${role}`);
    await owner.query(`DROP ROLE ${role}`);
    await owner.end();
    await theirs.drop();
    await ours.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('sees a killed worker as lost when its job expires, which pg-boss confirms', async () => {
    const id = await boss.send('emails', { hangs: true, to: 'ada@example.com' });
    const tap = watch('--queue', 'emails');
    const first = work('emails');
    await first.waitForOutput(/began/u);
    await waitUntil('the start is known', async () => (await jobs('emails')).some((job) => job.status === 'processing'), { withinMs: 20_000 });
    await first.kill();
    await waitUntil('the would-have', async () => (await shadow('emails')).verdicts === 1, { withinMs: 20_000 });
    const second = work('emails');
    await waitUntil('its grade', async () => (await shadow('emails')).confirmed === 1, { withinMs: 20_000 });
    await waitUntil('the second attempt succeeds', async () => (await jobs('emails'))[0]?.status === 'succeeded');
    const [run] = await jobs('emails');
    expect(run?.id.startsWith(String(id))).toBe(true);
    expect(await get(`queues/emails/jobs/${String(run?.id)}`)).toMatchObject({ status: 'succeeded', attempt: 2, anomalies: [] });
    await second.kill();
    expect(await tap.stop('SIGINT')).toMatchObject({ code: 0 });
    expect(await shadow('emails')).toMatchObject({ wrong: 0 });
  });

  it('knows of each job what pg-boss knows, also when it was killed and comes back', async () => {
    await some();
    let tap = watch('--queue', 'mixed');
    await waitUntil('the tap tells', async () => (await jobs('mixed')).length > 0, { withinMs: 20_000 });
    await workAllOf('mixed');
    await agrees();
    await tap.kill();
    await some();
    await workAllOf('mixed');
    tap = watch('--queue', 'mixed');
    await agrees();
    expect(await get('quarantine')).toMatchObject({ items: [] });
    expect(await tap.stop('SIGINT')).toMatchObject({ code: 0 });
  });

  it('sees an attempt that failed between two looks, of a job that waits long for the next', async () => {
    const id = String(await boss.send('mixed', { fails: 1 }, { retryDelay: 3_600 }));
    await owner.query(`UPDATE pgboss.job SET created_on = created_on - interval '1 minute' WHERE id = $1`, [id]);
    const tap = watch('--queue', 'mixed');
    const known = async () => (await jobs('mixed')).find((job) => job.id.startsWith(id))?.status;
    await waitUntil('it is known', async () => (await known()) === 'queued', { withinMs: 20_000 });
    await workAllOf('mixed');
    await waitUntil('its failure is known', async () => (await known()) === 'failed', { withinMs: 20_000 });
    await tap.kill();
  });

  it('says which queue was perhaps meant, and which schema', async () => {
    const wrong = watch('--queue', 'emials');
    expect(await wrong.exited).toMatchObject({ code: 2 });
    expect(wrong.output()).toContain('pg-boss has no queue emials in the schema pgboss. Did you mean emails?');
    const elsewhere = watch('--schema', 'boss');
    expect(await elsewhere.exited).toMatchObject({ code: 2 });
    expect(elsewhere.output()).toContain('The database has no pg-boss in the schema boss, but in pgboss.');
  });

  function watch(...args: readonly string[]): TestProcess {
    const tap = startProcess({ entry: cliEntry, args: ['observe', 'pg-boss', '--url', service.url, ...args], env: { DATABASE_URL: tapUrl.href } });
    processes.push(tap);
    return tap;
  }

  function work(queue: string): TestProcess {
    const worker = startProcess({ entry: workerEntry, env: { DATABASE_URL: theirs.url, QUEUE: queue } });
    processes.push(worker);
    return worker;
  }

  async function some(): Promise<void> {
    await boss.insert('mixed', Array.from({ length: 600 }, () => ({ data: {} })));
    await boss.send('mixed', {}, { startAfter: 3_600 });
    await boss.send('mixed', { fails: 1 }, { retryDelay: 0 });
    await boss.send('mixed', { fails: 1 }, { retryDelay: 3_600 });
    await boss.send('mixed', { fails: 9 }, { retryLimit: 0 });
    const unwanted = await boss.send('mixed', {}, { startAfter: 3_600 });
    await boss.cancel('mixed', String(unwanted));
  }

  /** As a worker does, without its pauses. */
  async function workAllOf(queue: string): Promise<void> {
    for (;;) {
      const fetched = await boss.fetch<{ fails?: number }>(queue, { batchSize: 200, includeMetadata: true });
      if (fetched.length === 0) return;
      const bad = fetched.filter((job) => (job.data.fails ?? 0) > job.retryCount);
      const good = fetched.filter((job) => !bad.includes(job));
      for (const job of bad) await boss.fail(queue, job.id, new TypeError('no such address'));
      if (good.length > 0) await boss.complete(queue, good.map((job) => job.id));
    }
  }

  async function agrees(): Promise<void> {
    const words: Readonly<Record<string, string>> = { created: 'queued', retry: 'failed', completed: 'succeeded', cancelled: 'cancelled', failed: 'failed' };
    let differences: string[] = ['not looked yet'];
    const look = async (): Promise<string[]> => {
      const { rows } = await owner.query<{ id: string; state: string }>(
        `SELECT id || '@' || floor(extract(epoch FROM created_on) * 1000) AS id, state FROM pgboss.job WHERE name = 'mixed'`,
      );
      const known = new Map((await jobs('mixed')).map((job) => [job.id, job]));
      return [
        ...rows.flatMap(({ id, state }) => (known.get(id)?.status === words[state] ? [] : [`${id}: ${state} is ${known.get(id)?.status ?? 'unknown'}`])),
        ...(known.size === rows.length ? [] : [`${String(known.size)} jobs, and ${String(rows.length)} in pg-boss`]),
      ];
    };
    await waitUntil('all is known', async () => (differences = await look()).length === 0, { withinMs: 20_000 }).catch(() => undefined);
    expect(differences).toEqual([]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics.split('\n').filter((line) => line.startsWith('jobwarden_anomalies_total') && !line.endsWith(' 0'))).toEqual([]);
  }

  async function jobs(queue: string): Promise<JobView[]> {
    const found: JobView[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page: { items: JobView[]; next: string | null } = await get(`jobs?queue=${queue}&limit=1000${next === '' ? '' : `&next=${next}`}`);
      found.push(...page.items);
      next = page.next;
    }
    return found;
  }

  async function shadow(queue: string): Promise<{ readonly verdicts?: number; readonly confirmed?: number; readonly wrong?: number }> {
    const { rows } = await get<{ rows: readonly { readonly queue: string; readonly action: string; readonly verdicts: number }[] }>(`shadow-report?since=1h&queue=${queue}`);
    return rows.find((row) => row.action === 'requeue') ?? {};
  }

  async function get<T>(path: string): Promise<T> {
    const response = await fetch(`${service.url}/v1/${path}`);
    if (!response.ok) throw new Error(`${path}: ${String(response.status)} ${await response.text()}`);
    return (await response.json()) as T;
  }
});
