import { createHash } from 'node:crypto';
import { marksOf, RetryableError, type Beat, type BeatAnswer, type LeaseStore, type WorkerBeat } from '#libs/application';
import { eventKey } from '#libs/contracts';
import type { JobStatus, Worker } from '#libs/domain';
import { hexes, ints, texts } from '../arrays.js';
import { BEGIN_BY_KEY, type Database, type Queryable } from '../database.js';
import { isConflict } from '../errors.js';
import * as sql from './statements.js';
import { sampleOf } from './worker-sample.js';

interface AnswerRow {
  readonly key: string;
  readonly attempt: number;
  readonly lease: boolean;
  readonly token: number | null;
  readonly status: JobStatus | null;
  readonly current: number | null;
  readonly open_verdicts: number | null;
}

interface WorkerRow {
  readonly held_hash: string | null;
  readonly beat_ms: number;
  readonly row_version: number;
}

const MAX_TRIES = 10;

/**
 * Heartbeats. A lease row is a maximum and needs no order. A worker that beats for all it holds writes one row; lease
 * rows are written only for what it took up, let go, or reported progress of since its last beat: `held_hash` tells
 * whether the set is the same.
 */
export class PgLeaseStore implements LeaseStore {
  constructor(private readonly database: Database) {}

  async renew(beats: readonly Beat[], lane: number): Promise<readonly BeatAnswer[]> {
    if (beats.length === 0) return [];
    return await this.repeated(async (tx) => {
      await tx.prepared('lease_renew', sql.RENEW, [...beatArrays(beats), lane, null]);
      const answers = await answersTo(tx, beats);
      await this.keepUnknown(tx, beats, answers, lane, null);
      return answers;
    });
  }

  async renewWorker(beat: WorkerBeat, lane: number): Promise<readonly BeatAnswer[]> {
    const key = workerKey(beat.namespace, beat.worker);
    const hash = heldHash(beat.jobs);
    return await this.repeated(async (tx) => {
      const [seen] = await tx.prepared<WorkerRow>('worker_read', sql.READ_WORKER, [key]);
      if (seen?.held_hash !== hash.toString('hex')) await this.takeUp(tx, beat, key, seen?.beat_ms ?? 0, lane);
      else await this.progress(tx, beat, key, lane);
      const answers = await answersTo(tx, beat.jobs);
      await this.keepUnknown(tx, beat.jobs, answers, lane, key);
      await this.beatWorker(tx, { beat, key, hash, answers, lane, version: seen?.row_version ?? 0, lastMs: seen?.beat_ms ?? 0 });
      return answers;
    });
  }

  /** Lease rows of workers and jobs that are over, older than `ageMs`. */
  async purge(ageMs: number): Promise<void> {
    await this.database.query(sql.PURGE_LEASES, [ageMs]);
    await this.database.query(sql.PURGE_WORKERS, [ageMs]);
  }

  private async takeUp(tx: Queryable, beat: WorkerBeat, key: Buffer, lastMs: number, lane: number): Promise<void> {
    const { jobs } = beat;
    await tx.prepared('lease_let_go', sql.LET_GO, [
      key,
      hexes(jobs.map((j) => j.keyHex)),
      ints(jobs.map((j) => j.heartbeat.attempt)),
      ints(jobs.map((j) => j.heartbeat.token ?? null)),
      lastMs,
    ]);
    if (jobs.length > 0) await tx.prepared('lease_renew', sql.RENEW, [...beatArrays(jobs), lane, key]);
  }

  private async progress(tx: Queryable, beat: WorkerBeat, key: Buffer, lane: number): Promise<void> {
    const told = beat.jobs.filter((j) => j.heartbeat.progress !== undefined);
    if (told.length > 0) await tx.prepared('lease_renew', sql.RENEW, [...beatArrays(told), lane, key]);
  }

  private async keepUnknown(
    tx: Queryable,
    beats: readonly Beat[],
    answers: readonly BeatAnswer[],
    lane: number,
    key: Buffer | null,
  ): Promise<void> {
    const unknown = new Set(answers.filter((a) => !a.lease && isUnknown(a)).map((a) => `${a.keyHex}/${String(a.attempt)}`));
    const kept = beats.filter((b) => unknown.has(`${b.keyHex}/${String(b.heartbeat.attempt)}`));
    if (kept.length > 0) await tx.prepared('lease_keep', sql.KEEP_UNKNOWN, [...beatArrays(kept), lane, key]);
  }

  private async beatWorker(tx: Queryable, told: WorkerTold): Promise<void> {
    const { beat, key, hash, answers, lane, version, lastMs } = told;
    const unknown = answers.filter(isUnknown).map((a) => `${a.keyHex}/${String(a.attempt)}`);
    const names = new Map(beat.jobs.map((j) => [`${j.keyHex}/${String(j.heartbeat.attempt)}`, j]));
    const shown = unknown.slice(0, 100).flatMap((u) => {
      const job = names.get(u);
      return job === undefined ? [] : [{ queue: job.ref.queue, id: job.ref.id, attempt: job.heartbeat.attempt }];
    });
    const rows = await tx.prepared('worker_beat', sql.BEAT_WORKER, [
      key,
      beat.namespace,
      beat.worker.id,
      beat.worker.incarnation ?? null,
      beat.worker.revision ?? null,
      beat.worker.track ?? null,
      lane,
      hash,
      shown.length === 0 ? null : JSON.stringify(shown),
      beat.runtime === null ? null : JSON.stringify(beat.runtime),
      version,
      beat.atMs,
      lastMs,
      ...sampleOf(beat),
    ]);
    // Two beats of one worker at once: the second starts again on what the first left.
    if (rows.length === 0) throw new RetryableError('conflict', 'the worker beat twice at once');
  }

  private async repeated<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.database.transaction(work, BEGIN_BY_KEY);
      } catch (error) {
        if (!isConflict(error) || tries >= MAX_TRIES) throw error;
      }
    }
  }
}

interface WorkerTold {
  readonly beat: WorkerBeat;
  readonly key: Buffer;
  readonly hash: Buffer;
  readonly answers: readonly BeatAnswer[];
  readonly lane: number;
  readonly version: number;
  /** Lane time of its last beat, ms; 0: this is its first. */
  readonly lastMs: number;
}

/** Of a job that nobody told of, or of an attempt that nobody granted. */
function isUnknown(answer: BeatAnswer): boolean {
  return answer.job === null || answer.attempt > answer.job.attempt;
}

export function workerKey(namespace: string, worker: Worker): Buffer {
  return eventKey(`${namespace}\0${worker.id}`, worker.incarnation ?? '');
}

/** Of the set that is held, with what each lease asks for; progress and order leave it the same. */
function heldHash(beats: readonly Beat[]): Buffer {
  const held = beats
    .map(({ keyHex, heartbeat: { attempt, leaseMs, token } }) => [keyHex, attempt, leaseMs ?? '', token ?? ''].join('/'))
    .sort();
  return createHash('sha256').update(held.join('\n')).digest().subarray(0, 16);
}

/** One row per (job, attempt): of several beats in a batch the last one counts. */
function beatArrays(beats: readonly Beat[]): unknown[] {
  const rows = [...new Map(beats.map((b) => [`${b.keyHex}/${String(b.heartbeat.attempt)}`, b])).values()];
  return [
    hexes(rows.map((b) => b.keyHex)),
    ints(rows.map((b) => b.heartbeat.attempt)),
    ints(rows.map((b) => b.heartbeat.leaseMs ?? null)),
    texts(rows.map((b) => (b.heartbeat.progress === undefined ? null : JSON.stringify(b.heartbeat.progress)))),
    ints(rows.map((b) => b.atMs)),
    ints(rows.map((b) => b.heartbeat.token ?? null)),
  ];
}

async function answersTo(tx: Queryable, beats: readonly Beat[]): Promise<readonly BeatAnswer[]> {
  if (beats.length === 0) return [];
  const rows = await tx.prepared<AnswerRow>('lease_answers', sql.ANSWERS, [
    hexes(beats.map((b) => b.keyHex)),
    ints(beats.map((b) => b.heartbeat.attempt)),
  ]);
  return rows.map((r) => ({
    keyHex: r.key,
    attempt: r.attempt,
    lease: r.lease,
    token: r.token,
    job:
      r.status === null
        ? null
        : { status: r.status, attempt: r.current ?? 1, verdictMarks: marksOf(r.open_verdicts ?? 0) },
  }));
}
