import { encodeEvent, type JobWrite, type Lane, type NewEvent, type Position } from '#libs/application';
import { FOLD_VERSION, stateToJson } from '#libs/domain';
import { bools, bytes, hexes, ints, texts } from '../arrays.js';
import type { Queryable } from '../database.js';
import { UPSERT_COUNTERS, UPSERT_RUN_TIMES, COUNTER_COLUMNS, differences } from './counters.js';
import * as sql from './statements.js';

/** Writes rows back by the version that was read; answers how many rows it wrote. */
export async function updateJobs(tx: Queryable, writes: readonly JobWrite[]): Promise<number> {
  const rows = await tx.prepared('update_jobs', sql.UPDATE_JOBS, [
    hexes(writes.map((w) => w.job.keyHex)),
    ints(writes.map((w) => w.job.version)),
    texts(writes.map((w) => w.job.state.queued?.kind ?? null)),
    texts(writes.map((w) => w.view.status)),
    ints(writes.map((w) => w.view.attempt)),
    ints(writes.map((w) => w.view.n)),
    ints(writes.map(() => FOLD_VERSION)),
    texts(writes.map((w) => w.waitsFor)),
    ints(writes.map((w) => w.view.sinceMs)),
    ints(writes.map((w) => w.lookAtMs)),
    texts(writes.map((w) => w.worker)),
    ints(writes.map(openVerdicts)),
    texts(writes.map((w) => stateToJson(w.job.state))),
  ]);
  return rows.length;
}

export async function rescheduleJobs(tx: Queryable, writes: readonly JobWrite[]): Promise<void> {
  await tx.prepared('reschedule_jobs', sql.RESCHEDULE_JOBS, [
    hexes(writes.map((w) => w.job.keyHex)),
    ints(writes.map((w) => w.lookAtMs)),
    texts(writes.map((w) => w.waitsFor)),
    ints(writes.map(openVerdicts)),
    texts(writes.map((w) => w.held?.by ?? null)),
    ints(writes.map((w) => w.held?.sinceMs ?? null)),
  ]);
}

/** null: as it was. */
function openVerdicts(write: JobWrite): number | null {
  if (write.verdicts.some((v) => v.kind === 'would-have')) return 1;
  return write.grades.length > 0 ? 0 : null;
}

export async function writeLeases(tx: Queryable, writes: readonly JobWrite[], lane: Lane): Promise<void> {
  const leases = writes.flatMap((w) => w.leases.map((lease) => ({ key: w.job.keyHex, ...lease })));
  if (leases.length > 0) {
    await tx.prepared('upsert_leases', sql.UPSERT_LEASES, [
      hexes(leases.map((l) => l.key)),
      ints(leases.map((l) => l.attempt)),
      ints(leases.map((l) => l.beatMs)),
      ints(leases.map((l) => l.leaseMs)),
      hexes(leases.map((l) => l.workerKey)),
      ints(leases.map(() => lane)),
      texts(leases.map((l) => l.progress)),
    ]);
  }
  const over = writes.filter((w) => w.view.finished && w.job.leases.size > 0).map((w) => w.job.keyHex);
  if (over.length > 0) await tx.prepared('delete_leases', sql.DELETE_LEASES, [hexes(over)]);
}

export async function writeVerdicts(tx: Queryable, writes: readonly JobWrite[], laneMs: number): Promise<void> {
  const verdicts = writes.flatMap((w) => w.verdicts.map((v) => ({ ...v, key: w.job.keyHex, queueId: w.job.queueId })));
  if (verdicts.length > 0) {
    await tx.prepared('upsert_verdicts', sql.UPSERT_VERDICTS, [
      hexes(verdicts.map((v) => v.key)),
      ints(verdicts.map((v) => v.queueId)),
      ints(verdicts.map((v) => v.attempt)),
      ...(['kind', 'verdict', 'reason', 'action', 'level', 'decision', 'thresholdSource'] as const).map((field) =>
        texts(verdicts.map((v) => v[field])),
      ),
      ints(verdicts.map((v) => v.thresholdMs)),
      texts(verdicts.map((v) => v.worker)),
      laneMs,
    ]);
  }
  const grades = writes.flatMap((w) => w.grades.map((g) => ({ key: w.job.keyHex, ...g })));
  if (grades.length > 0) {
    await tx.prepared('grade_verdicts', sql.GRADE_VERDICTS, [
      hexes(grades.map((g) => g.key)),
      ints(grades.map((g) => g.attempt)),
      texts(grades.map((g) => g.grade)),
      laneMs,
    ]);
  }
}

export async function writeCounters(tx: Queryable, writes: readonly JobWrite[]): Promise<void> {
  const { counters, runTimes } = differences(writes);
  if (counters.length > 0) {
    await tx.prepared('upsert_counters', UPSERT_COUNTERS, [
      ints(counters.map((c) => c.queueId)),
      ints(counters.map((c) => c.shard)),
      ...COUNTER_COLUMNS.map((_, i) => ints(counters.map((c) => c.values[i] ?? 0))),
    ]);
  }
  if (runTimes.length > 0) {
    await tx.prepared('upsert_run_times', UPSERT_RUN_TIMES, [
      ints(runTimes.map((r) => r.queueId)),
      ints(runTimes.map((r) => r.shard)),
      texts(runTimes.map((r) => r.kind)),
      ints(runTimes.map((r) => r.bucket)),
      ints(runTimes.map((r) => r.count)),
    ]);
  }
}

interface Entry {
  readonly write: JobWrite;
  readonly event: NewEvent;
}

export async function writeBodies(tx: Queryable, writes: readonly JobWrite[]): Promise<void> {
  const bodies = writes.flatMap((w) => w.events.flatMap((e) => e.bodies.map((body) => ({ job: w.job, body }))));
  if (bodies.length === 0) return;
  await tx.prepared('insert_bodies', sql.INSERT_BODIES, [
    ints(bodies.map((b) => b.job.period)),
    hexes(bodies.map((b) => b.job.keyHex)),
    hexes(bodies.map((b) => b.body.hash)),
    texts(bodies.map((b) => b.body.role)),
    bytes(bodies.map((b) => b.body.bytes)),
  ]);
}

/** Takes the shards' numbers, then appends; answers the position of each event by `keyHex/eventKey`. */
export async function append(tx: Queryable, writes: readonly JobWrite[], lane: Lane): Promise<Map<string, Position>> {
  const entries: Entry[] = writes.flatMap((write) => write.events.map((event) => ({ write, event })));
  const positions = new Map<string, Position>();
  if (entries.length === 0) return positions;
  const next = await takeNumbers(tx, entries);
  const numbers = entries.map(({ write, event }) => {
    const { shard, keyHex } = write.job;
    const number = (next.get(shard) ?? 0) + 1;
    next.set(shard, number);
    positions.set(`${keyHex}/${event.eventKey}`, { shard, number });
    return number;
  });
  const records = entries.map(({ event }) => encodeEvent(event.event, event.data));
  await tx.prepared('append', sql.APPEND, [
    ints(entries.map((e) => e.write.job.period)),
    ints(entries.map((e) => e.write.job.shard)),
    ints(numbers),
    hexes(entries.map((e) => e.write.job.keyHex)),
    hexes(entries.map((e) => e.event.eventKey)),
    bytes(entries.map((e) => e.event.contentHash)),
    ints(records.map((r) => r.type)),
    ints(records.map((r) => r.n)),
    ints(records.map(() => lane)),
    ints(records.map((r) => r.laneMs)),
    bools(entries.map((e) => e.event.goesOut)),
    texts(records.map((r) => r.source)),
    texts(records.map((r) => r.id)),
    texts(records.map((r) => r.data)),
  ]);
  return positions;
}

/** The last number used of each shard before this batch. */
async function takeNumbers(tx: Queryable, entries: readonly Entry[]): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const { write } of entries) counts.set(write.job.shard, (counts.get(write.job.shard) ?? 0) + 1);
  const shards = [...counts.keys()].sort((a, b) => a - b);
  const rows = await tx.prepared<{ shard: number; number: number }>('take_numbers', sql.TAKE_NUMBERS, [
    ints(shards),
    ints(shards.map((s) => counts.get(s) ?? 0)),
  ]);
  return new Map(rows.map((r) => [r.shard, r.number]));
}
