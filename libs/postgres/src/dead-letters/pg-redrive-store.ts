import type {
  Page,
  PageOf,
  RedriveCandidate,
  RedriveFilter,
  RedriveProgress,
  RedriveRun,
  RedriveStatus,
  RedriveStep,
  RedriveStore,
} from '#libs/application';
import type { Queryable } from '../database.js';
import { numberAfter, onePast, paged, rowId } from '../read/paging.js';
import * as sql from './redrive-statements.js';

interface StoredRun {
  readonly redrive_id: number;
  readonly queue_id: number;
  readonly namespace: string;
  readonly queue: string;
  readonly pattern_id: number | null;
  readonly kind: string | null;
  readonly died_of: string | null;
  readonly per_second: number;
  readonly forced: boolean;
  readonly made_by: string;
  readonly reason: string;
  readonly started_ms: number;
  readonly ended_ms: number | null;
  readonly stopped_by: string | null;
  readonly status: RedriveStatus;
  readonly wanted: number;
  readonly redriven: number;
  readonly refused: number;
  readonly refusals: string;
  readonly since_ms: string | number;
  readonly job_key: string;
  readonly claim: string;
}

interface StoredCandidate {
  readonly namespace: string;
  readonly queue: string;
  readonly job_id: string;
  readonly since_ms: number;
  readonly key: string;
}

export class PgRedriveStore implements RedriveStore {
  constructor(private readonly database: Queryable) {}

  async count(filter: RedriveFilter): Promise<number> {
    const queueId = await this.queueOf(filter);
    if (queueId === null || !namesAPattern(filter)) return 0;
    const [row] = await this.database.query<{ found: number }>(sql.COUNT, [queueId, ...meant(filter)]);
    return row?.found ?? 0;
  }

  async ahead(filter: RedriveFilter, limit: number): Promise<readonly { readonly kind: string | null; readonly state: string }[]> {
    const queueId = await this.queueOf(filter);
    if (queueId === null || !namesAPattern(filter)) return [];
    return await this.database.query(sql.AHEAD, [queueId, ...meant(filter), limit]);
  }

  async start(filter: RedriveFilter, run: Parameters<RedriveStore['start']>[1]): Promise<RedriveRun | null> {
    const queueId = await this.queueOf(filter);
    if (queueId === null) return null;
    const { perSecond, force, by, reason, wanted } = run;
    const [row] = await this.database.query<StoredRun>(sql.START, [queueId, ...meant(filter), perSecond, force, by, reason, wanted]);
    return row === undefined ? null : runOf(row);
  }

  async takeStep(): Promise<RedriveStep | null> {
    const [row] = await this.database.query<StoredRun>(sql.TAKE);
    if (row === undefined) return null;
    const run = runOf(row);
    const found = await this.database.query<StoredCandidate>(sql.NEXT, [
      row.queue_id,
      ...meant(run.filter),
      row.since_ms,
      Buffer.from(row.job_key, 'hex'),
      run.startedMs,
      run.perSecond,
    ]);
    return { run, claim: row.claim, next: found.map(candidateOf) };
  }

  async goesOn({ run, claim }: RedriveStep): Promise<boolean> {
    return (await this.database.query(sql.GOES_ON, [rowId(run.id), claim])).length > 0;
  }

  async note(id: string, { redriven, refusals, upTo }: RedriveProgress): Promise<void> {
    const run = await this.one(id);
    const all: Record<string, number> = { ...run?.refusals };
    for (const [code, count] of Object.entries(refusals)) all[code] = (all[code] ?? 0) + count;
    const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0);
    const key = Buffer.from(upTo.keyHex, 'hex');
    await this.database.query(sql.NOTE, [rowId(id), redriven, refused, JSON.stringify(all), upTo.sinceMs, key]);
  }

  async endStep({ run, claim }: RedriveStep, { over }: { readonly over: boolean }): Promise<void> {
    await this.database.query(sql.END_STEP, [rowId(run.id), over, claim]);
  }

  async stop(id: string, by: string): Promise<RedriveRun | null> {
    return await this.first(sql.STOP, id, by);
  }

  async one(id: string): Promise<RedriveRun | null> {
    return await this.first(sql.ONE, id);
  }

  async list({ namespace, queue }: { namespace: string; queue?: string }, page: Page): Promise<PageOf<RedriveRun>> {
    const rows = await this.database.query<StoredRun>(sql.LIST, [namespace, queue ?? null, numberAfter(page), onePast(page)]);
    return paged(rows, page, (row) => String(row.redrive_id), runOf);
  }

  private async first(statement: string, id: string, ...more: readonly string[]): Promise<RedriveRun | null> {
    const number = rowId(id);
    const [row] = number === null ? [] : await this.database.query<StoredRun>(statement, [number, ...more]);
    return row === undefined ? null : runOf(row);
  }

  private async queueOf({ namespace, queue }: RedriveFilter): Promise<number | null> {
    const [row] = await this.database.query<{ queue_id: number }>(sql.QUEUE, [namespace, queue]);
    return row?.queue_id ?? null;
  }
}

function namesAPattern({ patternId }: RedriveFilter): boolean {
  return patternId === undefined || rowId(patternId) !== null;
}

function meant({ patternId, kind, diedOf }: RedriveFilter): readonly (string | number | null)[] {
  return [patternId === undefined ? null : rowId(patternId), kind ?? null, diedOf ?? null];
}

function candidateOf({ namespace, queue, job_id: id, since_ms: sinceMs, key }: StoredCandidate): RedriveCandidate {
  return { ref: { namespace, queue, id }, sinceMs, keyHex: key };
}

function runOf(row: StoredRun): RedriveRun {
  const { namespace, queue, pattern_id: pattern, kind, died_of: diedOf } = row;
  return {
    id: String(row.redrive_id),
    filter: {
      ...{ namespace, queue },
      ...(pattern !== null && { patternId: String(pattern) }),
      ...(kind !== null && { kind }),
      ...(diedOf !== null && { diedOf }),
    },
    ...{ perSecond: row.per_second, force: row.forced, by: row.made_by, reason: row.reason },
    ...{ startedMs: row.started_ms, endedMs: row.ended_ms, stoppedBy: row.stopped_by, status: row.status },
    ...{ wanted: row.wanted, redriven: row.redriven, refused: row.refused },
    refusals: JSON.parse(row.refusals) as Record<string, number>,
  };
}
