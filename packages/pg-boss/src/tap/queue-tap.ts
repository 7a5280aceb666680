import type { Emitter, JobFact } from '@jobwarden/client';
import { parseRunId, runId } from '../run-id.js';
import type { Query, ReadOnlyDatabase } from './connection.js';
import { NO_ID, PAGE, type JobTable, type Place, type Row } from './row.js';
import { room, type KnownRun } from '@jobwarden/client/tapping';
import { Translation, type FactContext } from './translate.js';

export interface QueueTapOptions extends FactContext {
  readonly database: ReadOnlyDatabase;
  readonly table: JobTable;
  /** Ended jobs that a snapshot takes in, the newest. */
  readonly history: number;
  readonly emitter: Pick<Emitter, 'tell' | 'stats'>;
  readonly known: ((signal: AbortSignal) => AsyncIterable<readonly KnownRun[]>) | null;
}

/** So far back is read again: a transaction that began before a look and commits after it was not to be seen by it. */
const OVERLAP_MS = 2_000;
/** All that waits for a retry is read to find what is new of it: of the time between two such readings at most this part goes into them. */
const RETRIED_SHARE = 0.05;
/** Jobs can be deleted without a trace: each that has not ended is asked for so often. */
const CHECK_EVERY_MS = 300_000;

/** One queue: what is there, then what has changed from look to look. */
export class QueueTap {
  readonly queue: string;
  private readonly translation: Translation;
  private created: Place = { at: '-infinity', id: NO_ID };
  private ended: Place = { at: '-infinity', id: NO_ID };
  /** What ended within the overlap, with when: it is read again and is not told again. */
  private readonly told = new Map<string, number>();
  private readonly retried = { sinceMs: 0, dueMs: 0 };
  private toCheck: string[] = [];
  private checkedMs = 0;

  constructor(private readonly options: QueueTapOptions) {
    this.queue = options.queue;
    this.translation = new Translation(options);
  }

  get unfinished(): number {
    return this.translation.seen.size;
  }

  async snapshot(signal: AbortSignal): Promise<void> {
    const { database, table, history, emitter, known } = this.options;
    const { ids, ended, nowMs } = await database.look(async (query) => ({
      nowMs: await table.now(query),
      ids: await table.liveIds(query, this.queue),
      ended: await table.newestEnded(query, this.queue, history),
    }));
    const place: Place = { at: new Date(nowMs - OVERLAP_MS).toISOString(), id: NO_ID };
    [this.created, this.ended, this.checkedMs] = [place, place, nowMs];
    this.retried.sinceMs = nowMs - OVERLAP_MS;
    for (const row of ended.reverse()) this.tell(row, nowMs);
    for (let i = 0; i < ids.length && !signal.aborted; i += PAGE) {
      await this.lookAt(ids.slice(i, i + PAGE));
      await room(emitter, signal);
    }
    if (known === null) return;
    for await (const page of known(signal)) {
      await this.settle(page.map(({ id }) => id));
      await room(emitter, signal);
    }
  }

  /** Everything that has changed since the last look, on one state of the database. */
  async look(signal: AbortSignal): Promise<number> {
    const { database, table, emitter } = this.options;
    let changed = 0;
    const nowMs = await database.look(async (query) => {
      const now = await table.now(query);
      const active = await table.active(query, this.queue);
      const running = new Set(active.map((row) => row.id));
      const left = [...this.translation.seen].filter(([id, seen]) => seen.state === 'active' && !running.has(id)).map(([id]) => id);
      changed += await this.readOn(query, 'created', now);
      for (const row of active) changed += this.tell(row, now);
      changed += await this.readOn(query, 'ended', now);
      changed += await this.readRetried(query, now);
      for (let i = 0; i < left.length; i += PAGE) changed += await this.settleIds(query, left.slice(i, i + PAGE), now);
      const depth = await table.depth(query, this.queue);
      if (depth !== null) {
        const { waiting, oldestSeconds } = depth;
        emitter.tell({ type: 'queue-state', queue: this.queue, data: { waiting, ...(oldestSeconds !== null && { oldestAgeMs: oldestSeconds * 1_000 }) } });
      }
      return now;
    });
    for (const [id, endedMs] of this.told) if (endedMs < nowMs - 10 * OVERLAP_MS) this.told.delete(id);
    await this.check(nowMs);
    await room(emitter, signal);
    return changed;
  }

  private async readOn(query: Query, which: 'created' | 'ended', nowMs: number): Promise<number> {
    const { table } = this.options;
    let changed = 0;
    let place = this[which];
    for (;;) {
      const rows = await table[which](query, this.queue, place);
      for (const row of rows) changed += this.tell(row, nowMs);
      const last = rows.at(-1);
      if (last?.placeAt !== undefined) place = { at: last.placeAt, id: last.id };
      if (rows.length < PAGE) break;
    }
    this[which] = { at: new Date(nowMs - OVERLAP_MS).toISOString(), id: NO_ID };
    return changed;
  }

  private async readRetried(query: Query, nowMs: number): Promise<number> {
    if (nowMs < this.retried.dueMs) return 0;
    let changed = 0;
    const begunMs = performance.now();
    const rows = await this.options.table.retried(query, this.queue, this.retried.sinceMs);
    const tookMs = performance.now() - begunMs;
    for (const row of rows) changed += this.tell(row, nowMs);
    this.retried.sinceMs = nowMs - OVERLAP_MS;
    this.retried.dueMs = nowMs + tookMs / RETRIED_SHARE;
    return changed;
  }

  private async check(nowMs: number): Promise<void> {
    if (this.toCheck.length === 0) {
      if (nowMs - this.checkedMs < CHECK_EVERY_MS) return;
      this.checkedMs = nowMs;
      this.toCheck = [...this.translation.seen.keys()];
    }
    await this.lookAt(this.toCheck.splice(0, PAGE));
  }

  private async lookAt(ids: readonly string[]): Promise<void> {
    const { database, table } = this.options;
    await database.look(async (query) => await this.settleIds(query, ids, await table.now(query)));
  }

  private async settleIds(query: Query, ids: readonly string[], nowMs: number): Promise<number> {
    const rows = await this.options.table.byIds(query, this.queue, ids);
    const there = new Set(rows.map((row) => row.id));
    for (const row of rows) this.tell(row, nowMs);
    for (const id of ids) if (!there.has(id)) this.send(this.translation.gone(id, nowMs));
    return ids.length;
  }

  /** Runs that Jobwarden takes for unfinished, and that are not among those that live here. */
  private async settle(jobIds: readonly string[]): Promise<void> {
    const { database, table } = this.options;
    const absent = jobIds.flatMap((jobId) => {
      const native = parseRunId(jobId);
      return native === null || this.translation.seen.get(native.nativeId)?.jobId === jobId ? [] : [{ jobId, ...native }];
    });
    if (absent.length === 0) return;
    await database.look(async (query) => {
      const nowMs = await table.now(query);
      const rows = new Map((await table.byIds(query, this.queue, absent.map((run) => run.nativeId))).map((row) => [row.id, row]));
      for (const { jobId, nativeId } of absent) {
        const row = rows.get(nativeId);
        if (row !== undefined && runId({ nativeId, createdMs: row.createdMs }) === jobId) this.tell(row, nowMs);
        else this.send([this.translation.cancelled(jobId, 'no longer in the queue', nowMs)]);
      }
    });
  }

  private tell(row: Row, nowMs: number): number {
    const over = row.state === 'completed' || row.state === 'failed' || row.state === 'cancelled';
    const endedMs = row.completedMs ?? nowMs;
    if (over && this.told.get(row.id) === endedMs) return 0;
    if (over) this.told.set(row.id, endedMs);
    const facts = this.translation.take(row, nowMs);
    this.send(facts);
    return facts.length;
  }

  private send(facts: readonly JobFact[]): void {
    for (const fact of facts) this.options.emitter.tell(fact);
  }
}
