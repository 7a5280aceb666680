import { MOST_ATTEMPTS, revisionsIn, type CauseWindows, type QueueName } from '#libs/application';
import { badAttemptsOf, knowsFoldVersion, OUTCOME_SLOT_MS, stateFromJson } from '#libs/domain';
import type { BadAttempt, CauseWindow, OutcomeCounts, RevisionSeen, WindowCell } from '#libs/domain';
import { hexes, ints } from '../arrays.js';
import type { Queryable } from '../database.js';
import { countsIn, namesOf } from './pg-outcome-store.js';
import * as sql from './window-statements.js';
import { workersSeen, type SampleRow } from './worker-rows.js';

const MOST_QUEUES = 50;
const MOST_WORKERS = 200;
/** What was usual is read from so long before the window, ms. */
const BASELINE_MS = 3_600_000;
/** A job may have begun what it was lost in so long before, ms. */
const BEGAN_BEFORE_MS = 600_000;
/** Of each queue and standing at least so many jobs. */
const FEWEST_JOBS = 10;

interface Scope {
  readonly fromMs: number;
  readonly toMs: number;
}

export class PgCauseWindows implements CauseWindows {
  constructor(private readonly database: Queryable) {}

  async read(queues: readonly QueueName[], { fromMs, toMs }: Scope): Promise<CauseWindow> {
    const from = fromMs - (fromMs % OUTCOME_SLOT_MS);
    const found = await this.database.query<QueueRow>(sql.QUEUES, [...namesOf(queues), from, toMs, MOST_QUEUES]);
    const names = new Map(found.map((q) => [q.queue_id, `${q.namespace}/${q.queue}`]));
    const ids = [...names.keys()];
    const scope = { fromMs: from, toMs };
    const recent = await this.cells(sql.RECENT_CELLS, names, scope);
    const earlier = await this.cells(sql.EARLIER_CELLS, names, { fromMs: from - BASELINE_MS, toMs: from });
    const attempts = await this.attempts(names, scope);
    const rows = await this.database.query<RevisionRow>(sql.REVISIONS, [ints(ids), toMs]);
    return {
      ...{ fromMs: from, toMs, cells: [...recent, ...earlier] },
      baselineFromMs: earlier.reduce((least, c) => Math.min(least, c.slotMs), from),
      queues: found.map(({ queue_id, waiting }) => ({ queue: names.get(queue_id) ?? '', waiting })),
      revisions: revisionsOf(rows, names),
      attempts: attempts.found.slice(0, MOST_ATTEMPTS),
      attemptsLeftOut: attempts.leftOut || attempts.found.length > MOST_ATTEMPTS,
      workers: workersSeen(await this.samples(found, scope), toMs),
    };
  }

  private async cells(statement: string, names: Names, { fromMs, toMs }: Scope): Promise<readonly WindowCell[]> {
    const rows = await this.database.query<CellRow>(statement, [ints([...names.keys()]), fromMs, toMs]);
    return rows.map((row) => ({
      queue: names.get(row.queue_id) ?? '',
      slotMs: Math.max(row.from_ms, fromMs),
      kind: row.kind,
      revision: row.revision,
      track: row.track,
      counts: countsIn(row),
    }));
  }

  /** The newest first; `leftOut`: of a queue's jobs of one standing only the newest were read. */
  private async attempts(names: Names, { fromMs, toMs }: Scope): Promise<{ readonly found: readonly BadAttempt[]; readonly leftOut: boolean }> {
    const each = Math.max(FEWEST_JOBS, Math.ceil(MOST_ATTEMPTS / 2 / Math.max(1, names.size)));
    const ids = ints([...names.keys()]);
    const jobs = await this.database.query<JobRow>(sql.ATTEMPTS, [ids, fromMs - BEGAN_BEFORE_MS, toMs, each]);
    const read = new Map<string, number>();
    for (const { queue_id, status } of jobs) read.set(`${String(queue_id)} ${status}`, (read.get(`${String(queue_id)} ${status}`) ?? 0) + 1);
    const said = await this.saidLost(jobs.filter((j) => j.open_verdicts !== 0));
    const found = jobs
      .filter((job) => knowsFoldVersion(job.fold_version))
      .flatMap(({ queue_id, key, job_id, state }) => {
        const of = { queue: names.get(queue_id) ?? '', job: job_id, state: stateFromJson(state) };
        const saidLost = said.get(key);
        return badAttemptsOf({ ...of, ...(saidLost !== undefined && { saidLost }) }, fromMs, toMs);
      })
      .sort((a, b) => b.endedMs - a.endedMs);
    return { found, leftOut: [...read.values()].some((n) => n >= each) };
  }

  private async saidLost(jobs: readonly JobRow[]): Promise<ReadonlyMap<string, ReadonlyMap<number, number>>> {
    const found = new Map<string, Map<number, number>>();
    if (jobs.length === 0) return found;
    const rows = await this.database.query<SaidRow>(sql.SAID_LOST, [hexes(jobs.map((j) => j.key))]);
    for (const { key, attempt, last_ms } of rows) found.set(key, (found.get(key) ?? new Map<number, number>()).set(attempt, last_ms));
    return found;
  }

  private async samples(queues: readonly QueueRow[], { fromMs, toMs }: Scope): Promise<readonly SampleRow[]> {
    const namespaces = [...new Set(queues.map((q) => q.namespace))];
    const names = queues.map((q) => q.queue);
    return await this.database.query<SampleRow>(sql.WORKERS, [fromMs, toMs, namespaces, names, MOST_WORKERS]);
  }
}

type Names = ReadonlyMap<number, string>;

interface QueueRow {
  readonly queue_id: number;
  readonly namespace: string;
  readonly queue: string;
  readonly waiting: number | null;
}

type CellRow = OutcomeCounts & {
  readonly queue_id: number;
  readonly from_ms: number;
  readonly kind: string;
  readonly revision: string;
  readonly track: string;
};

interface RevisionRow {
  readonly queue_id: number;
  readonly revision: string;
  readonly first_ms: number;
  readonly last_ms: number;
}

interface JobRow {
  readonly queue_id: number;
  readonly key: string;
  readonly job_id: string;
  readonly state: string;
  readonly fold_version: number;
  readonly open_verdicts: number;
  readonly status: string;
}

interface SaidRow {
  readonly key: string;
  readonly attempt: number;
  readonly last_ms: number;
}

/** Where each began and ended is two stretches, as if nothing lay between. */
function revisionsOf(rows: readonly RevisionRow[], names: Names): readonly RevisionSeen[] {
  return revisionsIn(
    rows.flatMap(({ queue_id, revision, first_ms, last_ms }) =>
      [first_ms, last_ms].map((slotMs) => ({ queue: names.get(queue_id) ?? '', revision, slotMs })),
    ),
  );
}
