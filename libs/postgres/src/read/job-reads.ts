import type {
  BodyRow,
  JobDetailRow,
  JobFilter,
  JobReads,
  JobRow,
  JobSummaryRow,
  LeaseRow,
  Page,
  PageOf,
  TimelineRow,
} from '#libs/application';
import { jobKey } from '#libs/contracts';
import type { JobRef, JobStatus } from '#libs/domain';
import type { Queryable } from '../database.js';
import { ints } from '../arrays.js';
import { gapsOf, type GapsRow } from '../lanes/gaps.js';
import { invalidCursor, keyAfter, numberAfter, onePast, paged, Conditions } from './paging.js';
import * as sql from './job-statements.js';

/** Jobs, one job with what its row does not keep, and its stream. */
export class PgJobReads implements JobReads {
  constructor(private readonly database: Queryable) {}

  async list(filter: JobFilter, page: Page): Promise<PageOf<JobRow>> {
    const queues = await this.queuesOf(filter);
    const keys = filter.id === undefined ? null : queues.map((q) => jobKey({ ...q, id: filter.id ?? '' }));
    const conditions = new Conditions('j.row_version > 0')
      .add(
        'j.queue_id = ANY ($::integer[])',
        queues.map((q) => q.queue_id),
      )
      .add('j.job_key = ANY ($::bytea[])', keys)
      .add('j.status = $', filter.status)
      .add('j.kind = $', filter.kind)
      .add('j.worker = $', filter.worker)
      .add('j.since_ms >= $', filter.sinceMs)
      .add('j.job_key > $', keyAfter(page));
    if (filter.held === true) conditions.having('j.held_since_ms IS NOT NULL');
    if (queues.length === 0) return { items: [], next: null };
    const text = `${sql.JOB_ROWS} ${conditions.where} ORDER BY j.job_key LIMIT ${conditions.param(onePast(page))}`;
    const rows = await this.database.query<StoredJob>(text, conditions.values);
    return paged(rows, page, (row) => row.key, jobRow);
  }

  async one(ref: JobRef): Promise<JobDetailRow | null> {
    const [row] = await this.database.query<StoredDetail>(sql.ONE_JOB, [jobKey(ref)]);
    if (row === undefined) return null;
    const evidence = await this.evidenceOf(row);
    return {
      ...jobRow(row),
      leases: new Map((row.leases ?? []).map((lease) => [lease.attempt, leaseRow(lease)])),
      evidence,
      nowMs: row.now_ms,
      gaps: gapsOf(row),
      epoch: row.epoch,
    };
  }

  async summary(ref: JobRef): Promise<JobSummaryRow | null> {
    const [row] = await this.database.query<StoredSummary>(sql.SUMMARY, [jobKey(ref)]);
    if (row === undefined) return null;
    return { ref, status: row.status, attempt: row.attempt, token: row.token, sinceMs: row.since_ms };
  }

  async timeline(ref: JobRef, page: Page): Promise<PageOf<TimelineRow> | null> {
    const after = numberAfter(page) ?? 0;
    const rows = await this.database.query<StoredEvent>(sql.TIMELINE, [jobKey(ref), after, onePast(page)]);
    if (rows.length === 0) return null;
    // One row without an event says that the job is there.
    const events = rows.filter((row) => row.number !== null);
    return paged(events, page, (row) => String(row.number), timelineRow);
  }

  async cuts(ref: JobRef): Promise<string | null> {
    const [row] = await this.database.query<{ cuts: string | null }>(sql.CUTS, [jobKey(ref)]);
    return row?.cuts ?? null;
  }

  async body(ref: JobRef, hash: string): Promise<BodyRow | null> {
    const [row] = await this.database.query<BodyRow>(sql.BODY, [jobKey(ref), Buffer.from(hash, 'hex')]);
    return row ?? null;
  }

  async deadLetters(scope: { namespace: string; queue?: string; kind?: string }, page: Page): Promise<PageOf<JobRow>> {
    const queues = await this.queuesOf(scope);
    const after = deadLetterAfter(page);
    const ids = queues.map((q) => q.queue_id);
    if (queues.length === 0) return { items: [], next: null };
    const values = [ints(ids), scope.kind ?? null, after?.sinceMs ?? null, after?.key ?? null, onePast(page)];
    const rows = await this.database.query<StoredJob>(sql.DEAD_LETTERS, values);
    return paged(rows, page, (row) => `${String(row.since_ms)}.${row.key}`, jobRow);
  }

  private async queuesOf(scope: { namespace: string; queue?: string }): Promise<StoredQueue[]> {
    return await this.database.query<StoredQueue>(sql.QUEUES, [scope.namespace, scope.queue ?? null]);
  }

  private async evidenceOf(row: StoredDetail): Promise<ReadonlyMap<number, Readonly<Record<string, unknown>>>> {
    if (row.n === 0) return new Map();
    const rows = await this.database.query<{ n: number; data: string }>(sql.DECISIONS, [
      Buffer.from(row.key, 'hex'),
      row.period,
    ]);
    const evidence = new Map<number, Readonly<Record<string, unknown>>>();
    for (const { n, data } of rows) {
      const found = (JSON.parse(data) as { evidence?: Record<string, unknown> }).evidence;
      if (found !== undefined) evidence.set(n, found);
    }
    return evidence;
  }
}

interface StoredQueue {
  readonly queue_id: number;
  readonly namespace: string;
  readonly queue: string;
}

export interface StoredJob {
  readonly key: string;
  readonly namespace: string;
  readonly queue: string;
  readonly job_id: string;
  readonly period: number;
  readonly kind: string | null;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly n: number;
  readonly waits_for: string | null;
  readonly since_ms: number;
  readonly look_at_ms: number | null;
  readonly state: string;
  readonly held_by: string | null;
  readonly quarantined: boolean;
}

interface StoredLease {
  readonly attempt: number;
  readonly beat_ms: number;
  readonly lease_ms: number | null;
  readonly progress: string | null;
}

interface StoredDetail extends StoredJob, GapsRow {
  readonly leases: readonly StoredLease[] | null;
  readonly now_ms: number;
  readonly epoch: number;
}

interface StoredSummary {
  readonly status: JobStatus;
  readonly attempt: number;
  readonly token: number;
  readonly since_ms: number;
}

interface StoredEvent {
  readonly shard: number;
  readonly number: number | null;
  readonly type: number;
  readonly n: number | null;
  readonly lane: string;
  readonly lane_ms: number;
  readonly source: string;
  readonly id: string;
  readonly data: string;
}

export function jobRow(row: StoredJob): JobRow {
  return {
    ref: { namespace: row.namespace, queue: row.queue, id: row.job_id },
    keyHex: row.key,
    kind: row.kind,
    status: row.status,
    attempt: row.attempt,
    n: row.n,
    waitsFor: row.waits_for,
    sinceMs: row.since_ms,
    lookAtMs: row.look_at_ms,
    heldBy: row.held_by,
    quarantined: row.quarantined,
    state: row.state,
  };
}

function leaseRow({ beat_ms, lease_ms, progress }: StoredLease): LeaseRow {
  return { beatMs: beat_ms, leaseMs: lease_ms, progress };
}

function timelineRow(row: StoredEvent): TimelineRow {
  return {
    position: { shard: row.shard, number: row.number ?? 0 },
    type: row.type,
    n: row.n,
    lane: row.lane,
    laneMs: row.lane_ms,
    source: row.source,
    id: row.id,
    data: row.data,
  };
}

function deadLetterAfter(page: Page): { readonly sinceMs: number; readonly key: Buffer } | null {
  if (page.after === null) return null;
  const found = /^(-?\d{1,16})\.([0-9a-f]{32})$/.exec(page.after);
  if (found === null) throw invalidCursor();
  return { sinceMs: Number(found[1]), key: Buffer.from(found[2] ?? '', 'hex') };
}
