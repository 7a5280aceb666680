import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { connectedTo, type BenchServer } from '../bench/bench-server.js';
import { processMicros } from '../bench/processor-time.js';
import { ServerProcess } from '../bench/server-process.js';
import type { Profile } from './formula.js';
import { SizingLoad } from './load.js';

export interface Plan {
  readonly name: string;
  readonly jobs: number;
  readonly payloadBytes: number;
  readonly retries: 0 | 1;
  readonly eventsPerRequest: number;
}

export interface Costs {
  readonly profile: Profile;
  readonly summaryBytes: number;
  readonly idleServiceCores: number;
  readonly idlePostgresCores: number;
  readonly serviceMiB: number;
}

const POLICY = `
defaults: {actions: act, idempotent: true, backoff: {initial: 1ms, max: 1ms}, budget: {perSecond: 100000, burst: 100000}}
budget: {perSecond: 100000}
`;
/** So many jobs are sent before, for tables, plans and code that are warm. */
const WARM = 300;
const IDLE_MS = 4_000;

/** The shipped service over HTTP, on a database of its own: what each job leaves on the disk, and what it takes. */
export async function measure(server: BenchServer, plan: Plan): Promise<Costs> {
  return await server.withDatabase({}, async (url) => {
    const config = join(server.folder, 'sizing.yaml');
    writeFileSync(config, POLICY);
    const service = await ServerProcess.start(url, { JOBWARDEN_CONFIG: config });
    try {
      return await connectedTo(url, async (admin) => await onService({ server, service, plan, admin }));
    } finally {
      await service.stop();
    }
  });
}

interface Place {
  readonly server: BenchServer;
  readonly service: ServerProcess;
  readonly plan: Plan;
  readonly admin: pg.Client;
}

interface Meter {
  readonly atMs: number;
  readonly service: number;
  readonly postgres: number;
}

async function onService(place: Place): Promise<Costs> {
  const { server, service, plan, admin } = place;
  await through(place, 'warm', WARM);
  await admin.query('VACUUM ANALYZE');
  await admin.query('CHECKPOINT');
  const meter = (): Meter => ({
    atMs: performance.now(),
    service: processMicros(service.pid) ?? 0,
    postgres: processMicros(server.pid, { withChildren: true }) ?? 0,
  });
  const before = meter();
  await delay(IDLE_MS);
  const idle = meter();
  const sizes = await sizesOf(admin);
  const wal = await lsn(admin);
  const begun = meter();
  await through(place, 'load', plan.jobs);
  const ended = meter();
  const walBytes = (await lsn(admin)) - wal;
  const serviceMiB = service.residentMiB;
  await admin.query('VACUUM');
  const grown = await sizesOf(admin);
  const share = (of: 'service' | 'postgres'): number => (idle[of] - before[of]) / 1_000 / (idle.atMs - before.atMs);
  const micros = (of: 'service' | 'postgres'): number => (ended[of] - begun[of] - share(of) * 1_000 * (ended.atMs - begun.atMs)) / plan.jobs;
  const of = (...names: readonly string[]): number => names.reduce((sum, name) => sum + (grown.get(name) ?? 0) - (sizes.get(name) ?? 0), 0) / plan.jobs;
  const all = of(...grown.keys());
  const [logBytes, bodyBytes, rowBytes] = [of('events'), of('bodies'), of('jobs')];
  const { name, payloadBytes, retries, eventsPerRequest } = plan;
  return {
    profile: {
      ...{ name, payloadBytes, retries, eventsPerRequest, logBytes, bodyBytes, rowBytes },
      otherBytes: Math.max(0, all - logBytes - bodyBytes - rowBytes),
      walBytes: walBytes / plan.jobs,
      serviceMicros: micros('service'),
      postgresMicros: micros('postgres'),
    },
    summaryBytes: await summaryBytes(admin, plan.jobs + WARM),
    idleServiceCores: share('service'),
    idlePostgresCores: share('postgres'),
    serviceMiB,
  };
}

async function through({ service, plan, admin }: Place, prefix: string, jobs: number): Promise<void> {
  const { payloadBytes, eventsPerRequest, retries } = plan;
  const load = await SizingLoad.open(service.port, { prefix, payloadBytes, eventsPerRequest });
  try {
    await load.queued(jobs);
    await load.started(jobs, 1);
    if (retries > 0) {
      await load.failed(jobs);
      await until(admin, `SELECT count(*) = ${String(jobs)} AS done FROM jobwarden.jobs WHERE status = 'requeued' AND job_id LIKE '${prefix}-%'`);
      await load.started(jobs, 2);
    }
    await load.succeeded(jobs, retries + 1);
    await until(admin, `SELECT count(*) = ${String(jobs)} AS done FROM jobwarden.jobs WHERE status = 'succeeded' AND job_id LIKE '${prefix}-%'`);
  } finally {
    load.close();
  }
}

async function until(admin: pg.Client, question: string): Promise<void> {
  const end = performance.now() + 120_000;
  while (performance.now() < end) {
    const { rows } = await admin.query<{ done: boolean }>(question);
    if (rows[0]?.done === true) return;
    await delay(250);
  }
  throw new Error(`not in time: ${question}`);
}

/** With indexes and oversize parts; partitions count as their table. */
async function sizesOf(admin: pg.Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await admin.query<{ name: string; bytes: string }>(
    `SELECT coalesce(p.relname, c.relname) AS name, sum(pg_total_relation_size(c.oid)) AS bytes
     FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
     WHERE c.relnamespace = 'jobwarden'::regnamespace AND c.relkind = 'r' GROUP BY 1`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

async function lsn(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ bytes: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes`);
  return Number(rows[0]?.bytes ?? 0);
}

/** As the end of a week writes it, of all jobs that there are. */
async function summaryBytes(admin: pg.Client, jobs: number): Promise<number> {
  await admin.query(
    `INSERT INTO jobwarden.job_summaries (job_key, queue_id, job_id, status, attempt, token, since_ms)
     SELECT job_key, queue_id, job_id, status, attempt, attempt, since_ms FROM jobwarden.jobs`,
  );
  return ((await sizesOf(admin)).get('job_summaries') ?? 0) / jobs;
}
