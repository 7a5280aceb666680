import { FactWriter, Heartbeats, LANE_HTTP } from '#libs/application';
import { parseEvent, type ParsedHeartbeat } from '#libs/contracts';
import { PgLeaseStore } from '#libs/postgres';
import { connectedTo } from '../bench-server.js';
import { counted, folds } from '../checks.js';
import { mark, shown, type Bench, type Count, type Figure, type FigureResult } from '../figure.js';
import type { SentEvent } from '../job-load.js';
import { allAppended, itemOf, openStack, type Stack } from '../stack.js';

const REACH_BYTES = 3_000;
/** Jobs that run at once: as many leases are live. */
const AT_ONCE = 500;
const RUN_MS = 600_000;
const BEAT_EVERY_MS = 10_000;
const BEGUN_MS = Date.UTC(2026, 0, 5);

/** What is left on the disk of jobs that ran for ten minutes. */
export const disk: Figure = {
  name: 'disk',
  title: 'Bytes on disk per finished job of ten minutes',
  run: async (bench) => await bench.server.withDatabase({ clock: 'manual' }, async (url) => await measure(bench, url)),
};

async function measure(bench: Bench, url: string): Promise<FigureResult> {
  const waves = bench.quick ? 2 : 10;
  const jobs = waves * AT_ONCE;
  const stack = await openStack(url, { poolSize: 2 });
  try {
    await setClock(stack, BEGUN_MS);
    const empty = await sizes(url);
    let beats = 0;
    for (let wave = 0; wave < waves; wave += 1) {
      bench.progress(`${shown((wave + 1) * AT_ONCE)} of ${shown(jobs)} jobs`);
      beats += await runWave(stack, wave, async () => await vacuum(url));
    }
    await vacuum(url);
    const perJob = new Map([...(await sizes(url))].map(([table, bytes]) => [table, (bytes - (empty.get(table) ?? 0)) / jobs]));
    const finished = `SELECT count(*) FROM jobwarden.jobs WHERE status = 'succeeded'`;
    const counts = [
      await counted(stack.database, 'finished jobs', jobs, finished),
      await counted(stack.database, 'events in the log', 3 * jobs, 'SELECT count(*) FROM jobwarden.events'),
      await counted(stack.database, 'bodies', jobs, 'SELECT count(*) FROM jobwarden.bodies'),
      await counted(stack.database, 'leases left', 0, 'SELECT count(*) FROM jobwarden.leases'),
      { of: 'heartbeats answered', expected: jobs * (RUN_MS / BEAT_EVERY_MS - 1), found: beats },
      await folds(stack.database),
    ];
    return told(jobs, perJob, counts);
  } finally {
    await stack.close();
  }
}

/** Queued with a payload, claimed, kept alive by heartbeats, succeeded. Answers how many heartbeats were recorded. */
async function runWave(stack: Stack, wave: number, minutesPass: () => Promise<void>): Promise<number> {
  const heartbeats = new Heartbeats(stack.log, new PgLeaseStore(stack.database), stack.policies, LANE_HTTP);
  const ids = Array.from({ length: AT_ONCE }, (_, i) => `order-${String(wave)}-${String(i)}`);
  const startMs = BEGUN_MS + wave * 2 * RUN_MS;
  await setClock(stack, startMs);
  await append(stack, ids.map((id, i) => event(id, 'queued', 'checkout', { kind: 'invoice', payload: payloadOf(wave, i) })));
  await append(stack, ids.map((id, i) => event(id, 'claimed', 'workers', { attempt: 1, worker: workerOf(i), leaseMs: 30_000 })));
  await minutesPass();
  let recorded = 0;
  for (let ms = BEAT_EVERY_MS; ms < RUN_MS; ms += BEAT_EVERY_MS) {
    await setClock(stack, startMs + ms);
    const states = await heartbeats.renew(ids.map((id, i) => beatOf(stack, id, i, ms)));
    recorded += states.filter((s) => s.state === 'go-on').length;
  }
  await setClock(stack, startMs + RUN_MS);
  await append(stack, ids.map((id, i) => event(id, 'succeeded', 'workers', { attempt: 1, worker: workerOf(i), durationMs: RUN_MS })));
  await minutesPass();
  return recorded;
}

/** What autovacuum does within a minute or two of so many changes: here ten minutes take a second. */
async function vacuum(url: string): Promise<void> {
  await connectedTo(url, async (admin) => await admin.query('VACUUM'));
}

async function append(stack: Stack, events: readonly SentEvent[]): Promise<void> {
  const writer = new FactWriter(stack.log, stack.policies, LANE_HTTP);
  allAppended(await writer.append(events.map((e) => itemOf(e, stack.context))));
}

function beatOf(stack: Stack, id: string, i: number, ms: number): ParsedHeartbeat {
  const read = parseEvent(event(id, 'heartbeat', 'workers', { attempt: 1, worker: workerOf(i) }, ms), stack.context);
  if (!read.ok || read.kind !== 'heartbeat') throw new Error('the load is broken');
  return read;
}

function event(subject: string, type: string, source: string, data: Record<string, unknown>, ms = 0): SentEvent {
  return {
    specversion: '1.0',
    id: `${subject}-${type}-${String(ms)}-4f1c-9a7e`,
    source: `/shop/${source}`,
    subject,
    time: new Date(BEGUN_MS + ms).toISOString(),
    type: `jobwarden.job.${type}.v1`,
    data: { queue: 'invoices', ...data },
  };
}

function workerOf(i: number): Record<string, string> {
  return { id: `worker-${String(i % 50)}`, incarnation: 'a1b2c3', revision: '2026.1.4' };
}

/** About two hundred bytes. */
function payloadOf(wave: number, i: number): Record<string, unknown> {
  return {
    order: wave * AT_ONCE + i,
    customer: { id: `c-${String(i)}`, name: 'Ada Lovelace', mail: `ada.${String(i)}@example.com` },
    lines: [{ sku: 'AB-1234', count: 2, price: 1_995 }, { sku: 'CD-5678', count: 1, price: 12_900 }],
    currency: 'EUR',
  };
}

async function setClock(stack: Stack, ms: number): Promise<void> {
  await stack.database.query('UPDATE jobwarden.installation SET clock_ms = $1', [ms]);
}

/** With indexes and oversize parts; partitions count as their table. */
async function sizes(url: string): Promise<ReadonlyMap<string, number>> {
  const rows = await connectedTo(url, async (client) =>
    (await client.query<{ table: string; bytes: string }>(`
      SELECT coalesce(p.relname, c.relname) AS table, sum(pg_total_relation_size(c.oid)) AS bytes
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'jobwarden'
      LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
      WHERE c.relkind = 'r' GROUP BY 1`)).rows,
  );
  return new Map(rows.map((r) => [r.table, Number(r.bytes)]));
}

function told(jobs: number, perJob: ReadonlyMap<string, number>, counts: readonly Count[]): FigureResult {
  const total = [...perJob.values()].reduce((sum, bytes) => sum + bytes, 0);
  const tables = [...perJob].filter(([, bytes]) => bytes >= 1).sort(([, a], [, b]) => b - a);
  return {
    method: [
      `${shown(jobs)} jobs, ${String(AT_ONCE)} at once, on a database with the manual clock: queued with a payload of 200 bytes, claimed, a`,
      'heartbeat every ten seconds into the lease table, succeeded after ten minutes. A VACUUM once they run and once they have',
      'ended stands for the autovacuum of these ten minutes, which take a second here. Then: what pg_total_relation_size says of',
      'every table, with indexes and bodies, less what it said of the empty database, by the number of jobs.',
    ],
    lines: [
      `${shown(total)} bytes a job (reach ${shown(REACH_BYTES)}: ${mark(total <= REACH_BYTES)})`,
      ...tables.map(([table, bytes]) => `  ${table}: ${shown(bytes)}`),
    ],
    values: { bytesPerJob: total, ...Object.fromEntries(tables) },
    raw: [],
    counts,
  };
}
