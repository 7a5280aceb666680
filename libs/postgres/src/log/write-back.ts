import type { JobWrite, Lane } from '#libs/application';
import { storedText } from '#libs/domain';
import type { Connection, Queryable } from '../database.js';
import { bytes, int2s, int4s, int8s, keys, texts, tids } from './binary-arrays.js';
import { UPSERT_COUNTERS, UPSERT_RUN_TIMES, COUNTER_COLUMNS, differences } from './counters.js';
import type { NewRow } from './rows.js';
import * as sql from './statements.js';

/*
 * The steps of writing back. Each hands its statements to the connection before its first `await`: steps called one
 * after the other are sent, and carried out, in that order without waiting for each other's answers.
 */

export async function reserveJobs(tx: Connection, jobs: readonly NewRow[], laneMs: number): Promise<void> {
  await tx.changed('reserve_jobs', sql.RESERVE_JOBS, [
    keys(jobs, (j) => j.key),
    int2s(jobs, (j) => j.shard),
    int4s(jobs, (j) => j.queue_id),
    int4s(jobs, (j) => j.period),
    texts(jobs, (j) => j.id),
    laneMs,
  ]);
}

/** Where each locked row lies, by key. */
export type Places = ReadonlyMap<string, string>;

/** Locked rows, by the version that was read; answers how many it wrote. */
export async function updateJobs(tx: Connection, writes: readonly JobWrite[], places: Places): Promise<number> {
  return await tx.changed('update_jobs', sql.UPDATE_JOBS, [tids(writes, (w) => placeOf(w, places)), ...changes(writes)]);
}

/** Rows at a time: the server writes some while the next are made ready. */
const CHUNK = 500;

/** Rows that are not locked, sorted by key: locks them, where they are still of the version that was folded on. */
export async function updateRemembered(tx: Connection, writes: readonly JobWrite[]): Promise<number> {
  const counts: Promise<number>[] = [];
  for (let at = 0; at < writes.length; at += CHUNK) {
    const some = writes.slice(at, at + CHUNK);
    const values = [keys(some, (w) => w.job.keyHex), ...changes(some)];
    counts.push(tx.changed('update_remembered', sql.UPDATE_REMEMBERED, values));
  }
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Of both statements that update rows, after what says which. */
function changes(writes: readonly JobWrite[]): (Buffer | number)[] {
  return [
    int4s(writes, (w) => w.job.version),
    ...standing(writes),
    int2s(writes, (w) => w.verdictMarks),
    texts(writes, (w) => storedText(w.job.state, w.job.foldVersion)),
    int2s(writes, (w) => w.job.foldVersion),
  ];
}

export async function rescheduleJobs(tx: Connection, writes: readonly JobWrite[], places: Places): Promise<number> {
  return await tx.changed('reschedule_jobs', sql.RESCHEDULE_JOBS, [
    tids(writes, (w) => placeOf(w, places)),
    int8s(writes, (w) => w.lookAtMs),
    texts(writes, (w) => w.waitsFor),
    int2s(writes, (w) => w.verdictMarks),
    texts(writes, (w) => w.held?.by ?? null),
    int8s(writes, (w) => w.held?.sinceMs ?? null),
  ]);
}

/** What indexes and reports ask of a row, in the order of both statements. */
function standing(writes: readonly JobWrite[]): Buffer[] {
  return [
    texts(writes, (w) => w.job.state.queued?.kind ?? null),
    texts(writes, (w) => w.view.status),
    int4s(writes, (w) => w.view.attempt),
    int4s(writes, (w) => w.view.n),
    texts(writes, (w) => w.waitsFor),
    int8s(writes, (w) => w.view.sinceMs),
    int8s(writes, (w) => w.lookAtMs),
    texts(writes, (w) => w.worker),
  ];
}

function placeOf(write: JobWrite, places: Places): string {
  const place = places.get(write.job.keyHex);
  if (place === undefined) throw new Error('a row that was not locked cannot be written');
  return place;
}

export async function writeLeases(tx: Connection, writes: readonly JobWrite[], lane: Lane): Promise<void> {
  const steps: Promise<unknown>[] = [];
  const leases = writes.flatMap((w) => w.leases.map((lease) => ({ key: w.job.keyHex, ...lease })));
  if (leases.length > 0) {
    steps.push(
      tx.changed('upsert_leases', sql.UPSERT_LEASES, [
        keys(leases, (l) => l.key),
        int4s(leases, (l) => l.attempt),
        int8s(leases, (l) => l.beatMs),
        int8s(leases, (l) => l.leaseMs),
        keys(leases, (l) => l.workerKey),
        texts(leases, (l) => l.progress),
        int8s(leases, (l) => l.token ?? null),
        lane,
      ]),
    );
  }
  const over = writes.filter((w) => w.view.finished && w.job.leases.size > 0);
  if (over.length > 0) steps.push(tx.changed('delete_leases', sql.DELETE_LEASES, [keys(over, (w) => w.job.keyHex)]));
  await Promise.all(steps);
}

export async function writeBodies(tx: Connection, writes: readonly JobWrite[]): Promise<void> {
  const bodies = writes.flatMap((w) => w.events.flatMap((e) => e.bodies.map((body) => ({ job: w.job, body }))));
  if (bodies.length === 0) return;
  await tx.changed('insert_bodies', sql.INSERT_BODIES, [
    int4s(bodies, (b) => b.job.period),
    keys(bodies, (b) => b.job.keyHex),
    bytes(bodies, (b) => Buffer.from(b.body.hash, 'hex')),
    texts(bodies, (b) => b.body.role),
    bytes(bodies, (b) => b.body.bytes),
  ]);
}

export async function writeCounters(tx: Connection, writes: readonly JobWrite[]): Promise<void> {
  const steps: Promise<unknown>[] = [];
  const { counters, runTimes } = differences(writes);
  if (counters.length > 0) {
    steps.push(
      tx.changed('upsert_counters', UPSERT_COUNTERS, [
        int4s(counters, (c) => c.queueId),
        int2s(counters, (c) => c.shard),
        ...COUNTER_COLUMNS.map((_, i) => int8s(counters, (c) => c.values[i] ?? 0)),
      ]),
    );
  }
  if (runTimes.length > 0) {
    steps.push(
      tx.changed('upsert_run_times', UPSERT_RUN_TIMES, [
        int4s(runTimes, (r) => r.queueId),
        int2s(runTimes, (r) => r.shard),
        texts(runTimes, (r) => r.kind),
        int2s(runTimes, (r) => r.bucket),
        int8s(runTimes, (r) => r.count),
      ]),
    );
  }
  await Promise.all(steps);
}

/** Takes as many numbers of each shard; answers the last one used before. Held to the commit. */
export async function takeNumbers(tx: Pick<Queryable, 'prepared'>, counts: ReadonlyMap<number, number>): Promise<Taken> {
  const shards = [...counts.keys()].sort((a, b) => a - b);
  const rows = await tx.prepared<NumberRow>('take_numbers', sql.TAKE_NUMBERS, [
    int2s(shards, (s) => s),
    int8s(shards, (s) => counts.get(s) ?? 0),
  ]);
  return { last: new Map(rows.map((r) => [r.shard, r.number])), retentionLine: rows[0]?.retention_line ?? null };
}

interface NumberRow {
  readonly shard: number;
  readonly number: number;
  readonly retention_line: number;
}

export interface Taken {
  readonly last: ReadonlyMap<number, number>;
  /** As it stands now, behind all that was written. */
  readonly retentionLine: number | null;
}
