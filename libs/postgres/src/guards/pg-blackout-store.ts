import type {
  BlackoutAsk,
  BlackoutEvidence,
  BlackoutStore,
  HeldQueue,
  JobRefScope,
  UntoldBlackout,
} from '#libs/application';
import { JOBWARDEN, type BlackoutMove, type BlackoutSeen } from '#libs/domain';
import { ints } from '../arrays.js';
import { BEGIN_BY_KEY, type Database, type Queryable } from '../database.js';
import type { QueueIds } from '../log/queue-ids.js';
import * as sql from './blackout-statements.js';

/** While recovery is held, every replica comes by several times a second: once a second is enough for all of them. */
const ASSESS_EVERY_MS = 1_000;

interface GuardRow {
  readonly blackout_ms: number | null;
  readonly counts_from_ms: number;
  readonly assessed_ms: number;
  readonly now_ms: number;
}

interface LostRow {
  readonly workers: number;
  readonly jobs: number;
  readonly http: boolean;
  readonly kafka: boolean;
  readonly names: readonly string[];
}

const ENDINGS: Readonly<Record<Exclude<BlackoutMove, null | 'begin'>, string>> = {
  'end-by-evidence': 'so few workers are silent by now that they may well be dead: recovery goes on',
  'end-by-time': 'the lane is alive and the workers have stayed silent for holdMax: recovery goes on',
};

/**
 * Blackouts on PostgreSQL. The row of the queue is locked first and to the commit; jobs, leases and workers are only
 * read. What was held is woken after the commit: where that is missed, it is looked at in its own time.
 */
export class PgBlackoutStore implements BlackoutStore {
  constructor(
    private readonly database: Database,
    private readonly queueIds: QueueIds,
  ) {}

  async suspects(asks: readonly BlackoutAsk[]): Promise<readonly BlackoutAsk[]> {
    if (asks.length === 0) return [];
    const ids = await this.queueIds.of(asks.map((ask) => ask.queue));
    const rows = await this.database.prepared<{ at: number }>('blackout_suspects', sql.SUSPECTS, [
      ints(asks.map((_, at) => at)),
      ints(asks.map(({ queue: { namespace, queue } }) => ids.get(`${namespace}\0${queue}`) ?? null)),
      ints(asks.map((ask) => ask.leaseMs)),
      ints(asks.map((ask) => ask.gapEndMs)),
      ints(asks.map((ask) => ask.readMs)),
    ]);
    return rows.flatMap(({ at }) => asks[at] ?? []);
  }

  async assess(ask: BlackoutAsk, decide: (seen: BlackoutSeen) => BlackoutMove): Promise<BlackoutMove> {
    const queueId = await this.idOf(ask.queue);
    const moved = await this.database.transaction(async (tx) => {
      const guard = await lock(tx, queueId);
      if (guard.blackout_ms !== null && Math.abs(guard.now_ms - guard.assessed_ms) < ASSESS_EVERY_MS) return null;
      const lost = await lostWorkers(tx, queueId, ask, guard);
      if (guard.blackout_ms !== null) await tx.prepared('blackout_assessed', sql.ASSESSED, [queueId, guard.now_ms]);
      else if (lost.workers < ask.minWorkers) return null;
      const live = await liveWorkers(tx, queueId, ask);
      const seen = { lost: lost.workers, live, nowMs: guard.now_ms, sinceMs: guard.blackout_ms };
      const move = decide({ ...seen, laneAlive: await laneAlive(tx, queueId, ask, guard, lost) });
      if (move === 'begin') await begin(tx, queueId, guard, { ...evidenceOf(lost, live, ask), revisions: await byRevision(tx, queueId, ask) });
      else if (move !== null) await end(tx, queueId, guard, { by: JOBWARDEN, reason: ENDINGS[move] });
      return { move, nowMs: guard.now_ms };
    }, BEGIN_BY_KEY);
    if (moved === null || moved.move === null) return null;
    if (moved.move !== 'begin') await this.wake(queueId, moved.nowMs);
    return moved.move;
  }

  async release(queue: JobRefScope, told: { readonly by: string; readonly reason: string }): Promise<boolean> {
    // By name: a call on a queue that may be unknown leaves none behind.
    const [known] = await this.database.query<{ queue_id: number }>(sql.GUARDED, [queue.namespace, queue.queue]);
    if (known === undefined) return false;
    const nowMs = await this.database.transaction(async (tx) => {
      const guard = await lock(tx, known.queue_id);
      return (await end(tx, known.queue_id, guard, told)) ? guard.now_ms : null;
    });
    if (nowMs !== null) await this.wake(known.queue_id, nowMs);
    return nowMs !== null;
  }

  async held(): Promise<readonly HeldQueue[]> {
    const rows = await this.database.prepared<HeldRow>('blackouts_held', sql.HELD, []);
    return rows.map(({ namespace, queue, blackout_ms: sinceMs }) => ({ namespace, queue, sinceMs }));
  }

  async untold(): Promise<readonly UntoldBlackout[]> {
    const rows = await this.database.prepared<UntoldRow>('blackouts_untold', sql.UNTOLD, []);
    return rows.map(({ namespace, queue, blackout_ms: sinceMs, evidence, ended_by: endedBy, ended_reason: endedReason }) => ({
      ...{ namespace, queue, sinceMs, endedBy, endedReason },
      evidence: evidence === null ? null : (JSON.parse(evidence) as BlackoutEvidence),
    }));
  }

  private async wake(queueId: number, nowMs: number): Promise<void> {
    await this.database.prepared('blackout_wake', sql.WAKE_HELD, [queueId, nowMs]);
  }

  private async idOf({ namespace, queue }: JobRefScope): Promise<number> {
    const id = (await this.queueIds.of([{ namespace, queue }])).get(`${namespace}\0${queue}`);
    if (id === undefined) throw new Error('a queue that was made has no number');
    return id;
  }
}

interface HeldRow {
  readonly namespace: string;
  readonly queue: string;
  readonly blackout_ms: number;
}

interface UntoldRow {
  readonly namespace: string;
  readonly queue: string;
  readonly blackout_ms: number | null;
  readonly evidence: string | null;
  readonly ended_by: string | null;
  readonly ended_reason: string | null;
}

async function lock(tx: Queryable, queueId: number): Promise<GuardRow> {
  const [guard] = await tx.prepared<GuardRow>('guard_lock', sql.LOCK_GUARD, [queueId]);
  if (guard !== undefined) return guard;
  await tx.prepared('guard_make', sql.MAKE_GUARD, [queueId]);
  return await lock(tx, queueId);
}

/** Within one lease; while recovery is held, all since it began and those who began it. */
async function lostWorkers(tx: Queryable, queueId: number, ask: BlackoutAsk, guard: GuardRow): Promise<LostRow> {
  const { leaseMs, gapEndMs, readMs, queue } = ask;
  await tx.prepared('lost_note', sql.NOTE_LOST, [queueId, leaseMs, gapEndMs, readMs, guard.now_ms]);
  const fromMs = (guard.blackout_ms ?? readMs) - leaseMs;
  const countsFromMs = Math.max(guard.counts_from_ms, fromMs);
  await tx.prepared('lost_forget', sql.FORGET_LOST, [queueId, countsFromMs, queue.namespace]);
  const [lost] = await tx.prepared<LostRow>('lost_count', sql.COUNT_LOST, [queueId]);
  return lost ?? { workers: 0, jobs: 0, http: false, kafka: false, names: [] };
}

async function liveWorkers(tx: Queryable, queueId: number, ask: BlackoutAsk): Promise<number> {
  const { leaseMs, gapEndMs, readMs } = ask;
  const [live] = await tx.prepared<{ workers: number }>('live_count', sql.COUNT_LIVE, [queueId, leaseMs, gapEndMs, readMs]);
  return live?.workers ?? 0;
}

async function byRevision(tx: Queryable, queueId: number, { leaseMs, gapEndMs, readMs, queue }: BlackoutAsk): Promise<BlackoutEvidence['revisions']> {
  return await tx.prepared<BlackoutEvidence['revisions'][number]>('blackout_revisions', sql.BY_REVISION, [queueId, leaseMs, gapEndMs, readMs, queue.namespace]);
}

/** Each lane by which the lost ones used to beat. */
async function laneAlive(tx: Queryable, queueId: number, ask: BlackoutAsk, guard: GuardRow, lost: LostRow): Promise<boolean> {
  const sinceMs = guard.blackout_ms;
  if (sinceMs === null || guard.now_ms < sinceMs + ask.holdMaxMs) return false;
  if (lost.kafka && (ask.kafkaReadMs ?? 0) < sinceMs + ask.holdMaxMs) return false;
  if (!lost.http) return true;
  const [row] = await tx.prepared<{ alive: boolean }>('http_alive', sql.HTTP_ALIVE, [queueId, sinceMs]);
  return row?.alive === true;
}

function evidenceOf(lost: LostRow, live: number, { leaseMs }: BlackoutAsk): Omit<BlackoutEvidence, 'revisions'> {
  const workers = lost.workers + live;
  const share = Math.round((lost.workers / workers) * 1_000) / 1_000;
  return { lostWorkers: lost.workers, workers, share, lostJobs: lost.jobs, windowMs: leaseMs, names: lost.names };
}

async function begin(tx: Queryable, queueId: number, guard: GuardRow, evidence: BlackoutEvidence): Promise<void> {
  await tx.prepared('blackout_begin', sql.BEGIN_BLACKOUT, [queueId, guard.now_ms, JSON.stringify(evidence)]);
}

/** Who is lost by now counts for no other one. */
async function end(tx: Queryable, queueId: number, guard: GuardRow, told: { readonly by: string; readonly reason: string }): Promise<boolean> {
  const ended = await tx.prepared('blackout_end', sql.END_BLACKOUT, [queueId, guard.now_ms, told.by, told.reason]);
  return ended.length > 0;
}
