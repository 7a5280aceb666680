import type { PostmortemReads } from '#libs/application';
import { beganMs, foldIncident, type CountedSpan, type EndedIn, quantileMs, type OutcomeCounts, type PostmortemFacts, type RunTimes, type TracedJobs } from '#libs/domain';
import type { Queryable } from '../database.js';
import { rowId } from '../read/paging.js';
import { ranAgain } from './ran-again.js';
import * as sql from './facts-statements.js';
import { tracedJobs, type TracedRow } from './traced-jobs.js';

/** So far back its beginning is looked for, and so much of the quiet time before it is compared with. */
const LOOK_BACK_MS = 1_800_000;
const QUIET_MS = 600_000;
const MINUTE_MS = 60_000;

interface CountsRow {
  readonly queued: number;
  readonly started: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly lost: number;
  readonly dead_lettered: number;
  readonly write_refused: number;
  readonly contradicted: number;
  readonly rows: number;
}

/** Figures of an incident's time, by its queues; each statement by an index, none by the log. */
export class PgPostmortemReads implements PostmortemReads {
  constructor(private readonly database: Queryable) {}

  async facts(incident: PostmortemFacts['incident']): Promise<PostmortemFacts> {
    const standing = foldIncident(incident.steps);
    const id = rowId(incident.id);
    const { namespace = null, queue = null } = incident.queue ?? {};
    const queues = (await this.database.query<{ queue_id: number }>(sql.QUEUES, [id, namespace, queue])).map((row) => row.queue_id);
    const openedMs = standing?.openedMs ?? 0;
    const endMs = standing?.resolvedMs ?? (await this.nowMs());
    const signals = await this.database.query<PostmortemFacts['signals'][number]>(sql.SIGNALS, [id]);
    const stretches = await this.database.query<EndedIn>(sql.STRETCHES, [queues, openedMs - LOOK_BACK_MS, openedMs]);
    const began = beganMs(stretches, openedMs);
    const fromMs = began ?? openedMs;
    // What stood in that very millisecond stood then.
    const time = [queues, fromMs, endMs + 1];
    const patterns = await this.database.query<{ class: string | null; message: string; reason: string; letters: number }>(sql.PATTERNS, time);
    const beside = await this.database.query<{ kind: string; incidents: number }>(sql.BESIDE, [...time, id]);
    return {
      incident,
      beganMs: began,
      counts: await this.counts(queues, fromMs, endMs),
      runTimes: { before: await this.runTimes(queues, fromMs - QUIET_MS, fromMs), during: await this.runTimes(queues, fromMs, endMs + 1) },
      depth: await this.depth(id, queues, fromMs, endMs),
      again: await ranAgain(this.database, time),
      jobs: await this.jobs(queues, time),
      deadLetters: {
        letters: patterns.reduce((sum, { letters }) => sum + letters, 0),
        patterns: patterns.map(({ class: name, message, reason, letters }) => ({ says: message === '' ? (name ?? reason) : `${name ?? reason}: ${message}`, letters })),
      },
      signals,
      beside: Object.fromEntries(beside.map(({ kind, incidents }) => [kind, incidents])),
      traces: await this.traces(queues, fromMs, endMs),
    };
  }

  private async counts(queues: readonly number[], fromMs: number, endMs: number): Promise<PostmortemFacts['counts']> {
    const [before, during] = [await this.span(queues, fromMs - QUIET_MS, fromMs), await this.span(queues, fromMs, endMs + 1)];
    return before.rows + during.rows === 0 ? null : { before: before.span, during: during.span };
  }

  private async span(queues: readonly number[], fromMs: number, toMs: number): Promise<{ readonly span: CountedSpan; readonly rows: number }> {
    const [row] = await this.database.query<CountsRow>(sql.COUNTS, [queues, fromMs, toMs]);
    if (row === undefined) throw new Error('a sum answered no row');
    const { dead_lettered: deadLettered, write_refused: writeRefused, rows, ...same } = row;
    const counts: OutcomeCounts = { ...same, deadLettered, writeRefused };
    return { span: { fromMs, toMs, counts }, rows };
  }

  private async runTimes(queues: readonly number[], fromMs: number, toMs: number): Promise<RunTimes | null> {
    const rows = await this.database.query<{ bucket: number; count: number }>(sql.RUN_TIMES, [queues, fromMs, toMs]);
    const buckets = new Map(rows.map(({ bucket, count }) => [bucket, count]));
    const [p50Ms, p99Ms] = [quantileMs(buckets, 0.5), quantileMs(buckets, 0.99)];
    return p50Ms === null || p99Ms === null ? null : { attempts: rows.reduce((sum, { count }) => sum + count, 0), p50Ms, p99Ms };
  }

  private async depth(id: number | null, queues: readonly number[], fromMs: number, endMs: number): Promise<PostmortemFacts['depth']> {
    const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS);
    const read = async (statement: string, values: readonly unknown[]): Promise<number | null> => (await this.database.query<{ depth: number | null }>(statement, values))[0]?.depth ?? null;
    return {
      before: await read(sql.DEPTH, [queues, minuteOf(fromMs - QUIET_MS), minuteOf(fromMs) - 1]),
      during: await read(sql.DEPTH, [queues, minuteOf(fromMs), minuteOf(endMs)]),
      signalled: await read(sql.SIGNALLED_DEPTH, [id]),
    };
  }

  private async jobs(queues: readonly number[], time: readonly unknown[]): Promise<PostmortemFacts['jobs']> {
    const statuses = await this.database.query<{ status: string; jobs: number }>(sql.STATUSES, time);
    const [waiting] = await this.database.query<{ jobs: number }>(sql.WAITING, [queues]);
    return {
      byStatus: Object.fromEntries(statuses.map(({ status, jobs }) => [status, jobs])),
      examples: await this.database.query<PostmortemFacts['jobs']['examples'][number]>(sql.EXAMPLES, time),
      waiting: waiting?.jobs ?? 0,
    };
  }

  private async traces(queues: readonly number[], fromMs: number, endMs: number): Promise<TracedJobs> {
    const rows = await this.database.query<TracedRow>(sql.TRACED, [queues, fromMs, endMs + 1]);
    return tracedJobs(rows, fromMs, endMs);
  }

  private async nowMs(): Promise<number> {
    const [row] = await this.database.query<{ now_ms: number }>(sql.NOW);
    return row?.now_ms ?? 0;
  }
}
