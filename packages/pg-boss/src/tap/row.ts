import type { Query } from './connection.js';

export type NativeState = 'created' | 'retry' | 'active' | 'completed' | 'cancelled' | 'failed';

/** A row of pg-boss's `job`, as far as the tap reads it. Instants are ms since 1970, by the database's clock. */
export interface Row {
  readonly id: string;
  readonly state: NativeState;
  /** Retries that have begun: the attempt that runs, or ran last, is one more. */
  readonly retryCount: number;
  readonly createdMs: number;
  readonly startAfterMs: number;
  readonly startedMs: number | null;
  readonly completedMs: number | null;
  readonly expireMs: number;
  /** The last sign of life of its worker, where the queue asks for such. */
  readonly beatMs: number | null;
  readonly beatEveryMs: number | null;
  /** What the handler answered, or its error. Only where the job ended. */
  readonly output: unknown;
  /** Only where payloads are sent. */
  readonly data: unknown;
  /** Of what was read in an order: the instant that it was ordered by, as exactly as PostgreSQL has it. */
  readonly placeAt?: string;
}

/** A place in an order by instant, then id. */
export interface Place {
  readonly at: string;
  readonly id: string;
}

export const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Rows of one page, and ids of one question. */
export const PAGE = 500;

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;
const COLUMNS = `id::text, state::text, retry_count AS "retryCount",
  floor(${ms('created_on')}) AS "createdMs", ${ms('start_after')} AS "startAfterMs", ${ms('started_on')} AS "startedMs",
  ${ms('completed_on')} AS "completedMs", expire_seconds * 1000 AS "expireMs", ${ms('heartbeat_on')} AS "beatMs",
  heartbeat_seconds * 1000 AS "beatEveryMs", CASE WHEN state IN ('retry', 'failed') THEN output END AS output`;

/** Statements on one queue. Each is led by an index of pg-boss 12, and bounded. */
export class JobTable {
  private readonly table: string;
  private readonly queues: string;
  private readonly columns: string;

  /** @param schema as PostgreSQL has it, without quotes */
  constructor(
    private readonly schema: string,
    payload: boolean,
  ) {
    this.table = `${quoted(schema)}.job`;
    this.queues = `${quoted(schema)}.queue`;
    this.columns = `${COLUMNS}, ${payload ? 'data' : 'NULL AS data'}`;
  }

  async names(query: Query): Promise<string[]> {
    return (await query<{ name: string }>(`SELECT name FROM ${this.queues} ORDER BY name`, [])).map((row) => row.name);
  }

  /** By the database's clock, ms. */
  async now(query: Query): Promise<number> {
    const [row] = await query<{ now: number }>(`SELECT ${ms('now()')} AS now`, []);
    return row?.now ?? 0;
  }

  /** What is not over (index job_i14). */
  async liveIds(query: Query, queue: string): Promise<string[]> {
    const rows = await query<{ id: string }>(
      `SELECT id::text FROM ${this.table} WHERE name = $1 AND state IN ('created', 'retry', 'active')`,
      [queue],
    );
    return rows.map((row) => row.id);
  }

  /** By the primary key. */
  async byIds(query: Query, queue: string, ids: readonly string[]): Promise<Row[]> {
    if (ids.length === 0) return [];
    return await query<Row & Record<string, unknown>>(`SELECT ${this.columns} FROM ${this.table} WHERE name = $1 AND id = ANY($2::uuid[])`, [queue, ids]);
  }

  /** All that runs (index job_i14). */
  async active(query: Query, queue: string): Promise<Row[]> {
    return await query<Row & Record<string, unknown>>(
      `SELECT ${this.columns} FROM ${this.table} WHERE name = $1 AND state = 'active'`,
      [queue],
    );
  }

  /**
   * What waits for another attempt, and whose last one began since then (index job_i14, of which all that waits so is read). It may have come and gone
   * between two looks, and has no end by which it would be found.
   */
  async retried(query: Query, queue: string, sinceMs: number): Promise<Row[]> {
    return await query<Row & Record<string, unknown>>(
      `SELECT ${this.columns} FROM ${this.table} WHERE name = $1 AND state = 'retry' AND started_on >= to_timestamp($2::float8 / 1000)`,
      [queue, sinceMs],
    );
  }

  /** Behind a place, in the order of their creation (index job_i15). */
  async created(query: Query, queue: string, after: Place): Promise<Row[]> {
    return await this.behind(query, 'created_on', queue, after);
  }

  /** Behind a place, in the order of their ends (index job_i16). */
  async ended(query: Query, queue: string, after: Place): Promise<Row[]> {
    return await this.behind(query, 'completed_on', queue, after);
  }

  /** Many can have the same instant: whole batches are added, and completed, in one statement. */
  private async behind(query: Query, column: 'created_on' | 'completed_on', queue: string, { at, id }: Place): Promise<Row[]> {
    return await query<Row & Record<string, unknown>>(
      `SELECT ${this.columns}, ${column}::text AS "placeAt" FROM ${this.table}
       WHERE name = $1 AND ${column} >= $2::timestamptz AND (${column}, id) > ($2::timestamptz, $3::uuid)
       ORDER BY ${column}, id LIMIT ${String(PAGE)}`,
      [queue, at, id],
    );
  }

  /** The newest of those that ended (index job_i16). */
  async newestEnded(query: Query, queue: string, count: number): Promise<Row[]> {
    return await query<Row & Record<string, unknown>>(
      `SELECT ${this.columns} FROM ${this.table} WHERE name = $1 AND completed_on IS NOT NULL ORDER BY completed_on DESC LIMIT $2`,
      [queue, count],
    );
  }

  /** As pg-boss itself has counted last: counting anew would cost as much as the backlog is long. */
  async depth(query: Query, queue: string): Promise<{ readonly waiting: number; readonly oldestSeconds: number | null } | null> {
    const [row] = await query<{ waiting: number; oldestSeconds: number | null; monitored: boolean }>(
      `SELECT ready_count AS waiting, ready_oldest_seconds AS "oldestSeconds", monitor_on IS NOT NULL AS monitored FROM ${this.queues} WHERE name = $1`,
      [queue],
    );
    return row?.monitored === true ? row : null;
  }

  /** Schemas that look like pg-boss's. */
  async schemas(query: Query): Promise<string[]> {
    const rows = await query<{ name: string }>(
      `SELECT n.nspname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relname IN ('job', 'queue', 'subscription') GROUP BY 1 HAVING count(*) = 3`,
      [],
    );
    return rows.map((row) => row.name);
  }

  get name(): string {
    return this.schema;
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
