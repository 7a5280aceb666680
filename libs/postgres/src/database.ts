import pg from 'pg';
import { copyIn } from './copy-in.js';
import { endsConnection, isAftermath, translated } from './errors.js';

export interface DatabaseOptions {
  readonly url: string;
  /** Connections at most. Default 10. */
  readonly poolSize?: number;
  /** Longest wait for a free connection, ms. Default 2,000: then `connection_exhaustion`, never a hang. */
  readonly acquireTimeoutMs?: number;
  /** Role to act as, so that the log is append-only for us. Default: as connected. */
  readonly role?: string;
  /**
   * `transaction`: a pooler stands between, and the next transaction may be on another connection of the server. Then nothing
   * outlives one: the role is set in each, a single statement gets one of its own, and nothing is prepared by name, so plans
   * are not kept. Default `session`.
   */
  readonly pooling?: 'session' | 'transaction';
  readonly applicationName?: string;
}

export type Row = Record<string, unknown>;

/** What a statement needs, in and out of a transaction. */
export interface Queryable {
  query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
  /** Prepared under `name` once per connection; plans are then kept. */
  prepared<R extends object = Row>(name: string, text: string, values: readonly unknown[]): Promise<R[]>;
}

/**
 * A process that is stopped in the middle of a transaction, or a machine that is gone without a word, keeps its locks for
 * as long as its connection seems to stand: whoever takes its partitions over would wait for hours. After as long without
 * a statement the server ends it; the transaction did nothing, and may be repeated.
 */
const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '10s'`;

/**
 * Begins a transaction whose statements all look rows up by their keys. Asked while a table is nearly empty, the planner
 * finds it cheapest to read all of it, and that plan would be kept for as long as nobody analyzes the table: for a
 * minute at least, in which it grows by what a busy system does in a minute.
 */
export const BEGIN_BY_KEY = `${BEGIN}; SET LOCAL enable_seqscan = off; SET LOCAL cpu_index_tuple_cost = 100; SET LOCAL plan_cache_mode = force_generic_plan`;

/** One pool. Errors come out translated; bigint comes out as a number (positions and times stay far below 2⁵³). */
export class Database implements Queryable {
  private readonly pool: pg.Pool;

  constructor(private readonly options: DatabaseOptions) {
    this.pool = new pg.Pool({
      connectionString: options.url,
      max: options.poolSize ?? 10,
      connectionTimeoutMillis: options.acquireTimeoutMs ?? 2_000,
      idleTimeoutMillis: 30_000,
      application_name: options.applicationName ?? 'jobwarden',
      types: { getTypeParser },
      // What is asked at once goes out at once: steps that need not see each other's answers share a round trip.
      ...PIPELINE,
      ...(options.role !== undefined && options.pooling !== 'transaction' && { options: `-c role=${options.role}` }),
    });
    // Without a listener an idle connection's end, as when the server restarts, would end the process.
    this.pool.on('error', () => undefined);
    // And so would one that ends just while it changes hands.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async query<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return await this.connected(async (client) => await client.query<R>(text, values));
  }

  async prepared<R extends object = Row>(name: string, text: string, values: readonly unknown[]): Promise<R[]> {
    return await this.connected(async (client) => await client.prepared<R>(name, text, values));
  }

  /** `begin` … COMMIT around `work`; ROLLBACK when it throws. A broken connection is discarded, not handed back. */
  async transaction<T>(work: (tx: Queryable) => Promise<T>, begin = BEGIN): Promise<T> {
    return await this.connected(async (client) => {
      await client.query(begin);
      try {
        const result = await work(client);
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  /** A connection of one's own for a while: for several statements that belong together. */
  async connected<T>(work: (client: Connection) => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.pool.connect();
    } catch (error) {
      throw translated(error);
    }
    const connection = this.connection(client);
    // A connection that ends while it is out tells so by an event, which ends the process where nobody listens.
    const ended = (): void => {
      connection.broken = true;
    };
    client.on('error', ended);
    try {
      return await work(connection);
    } catch (error) {
      throw translated(error);
    } finally {
      client.release(connection.broken);
      // A broken one goes on to tell of its end; a good one is the pool's to listen to again.
      if (!connection.broken) client.off('error', ended);
    }
  }

  private connection(client: pg.PoolClient): Connection {
    const { pooling, role = null } = this.options;
    return pooling === 'transaction' ? new PooledConnection(client, role) : new Connection(client);
  }

  get poolFigures(): { readonly inUse: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  get url(): string {
    return this.options.url;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

/** A pooled connection; remembers whether it broke, so that the pool does not hand it out again. */
export class Connection implements Queryable {
  broken = false;
  /** What made the transaction fail, for the statements that were sent behind it. */
  private cause: Error | null = null;

  constructor(protected readonly client: pg.PoolClient) {}

  async query<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return rowsOf(await this.guarded(() => this.send<R>({ text, values: [...values] })));
  }

  async prepared<R extends object = Row>(name: string, text: string, values: readonly unknown[]): Promise<R[]> {
    return rowsOf(await this.guarded(() => this.send<R>({ name, text, values: [...values] })));
  }

  /** Like {@link prepared}, for a statement without rows; answers how many rows it changed. */
  async changed(name: string, text: string, values: readonly unknown[]): Promise<number> {
    const result = await this.guarded(() => this.send({ name, text, values: [...values] }));
    return result.rowCount ?? 0;
  }

  /** `COPY … FROM STDIN`; `rows` are in the form that `text` names. */
  async copy(text: string, rows: Buffer): Promise<void> {
    await this.guarded(() => copyIn(this.client, text, rows));
  }

  /** Hands it to the driver before anything is waited for. */
  protected send<R extends object>(query: Statement): Promise<pg.QueryResult<R>> {
    return this.client.query<R>(query);
  }

  private async guarded<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      // A server's own complaint leaves the connection usable; anything else does not.
      if (!(error instanceof pg.DatabaseError) || endsConnection(error.code ?? '')) this.broken = true;
      // Of several at once the first to be heard need not be the one that failed: all of them tell the same.
      if (isAftermath(error) && this.cause !== null) throw this.cause;
      const known = translated(error);
      if (known instanceof Error) this.cause = known;
      throw known;
    }
  }
}

interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Several statements in one text give several results: the last one is the answer. */
function rowsOf<R extends object>(result: pg.QueryResult<R> | pg.QueryResult<R>[]): R[] {
  return Array.isArray(result) ? (result.at(-1)?.rows ?? []) : result.rows;
}

/** Behind a pooler that hands on the server's connection with each transaction. */
class PooledConnection extends Connection {
  private inside = false;

  constructor(
    client: pg.PoolClient,
    private readonly role: string | null,
  ) {
    super(client);
  }

  protected override send<R extends object>({ text, values }: Statement): Promise<pg.QueryResult<R>> {
    if (text.startsWith('BEGIN')) {
      this.inside = true;
      return this.client.query<R>(text.replace(/^BEGIN[^;]*/u, (begin) => `${begin}${this.asRole}`), values);
    }
    const inside = this.inside;
    if (text === 'COMMIT' || text === 'ROLLBACK') this.inside = false;
    return inside || this.role === null ? this.client.query<R>({ text, values }) : this.alone<R>({ text, values });
  }

  /** All three are sent together. A statement that failed makes the COMMIT a ROLLBACK. */
  private async alone<R extends object>(statement: Statement): Promise<pg.QueryResult<R>> {
    const [begun, done, ended] = await Promise.allSettled([
      this.client.query(`BEGIN${this.asRole}`),
      this.client.query<R>(statement),
      this.client.query('COMMIT'),
    ]);
    if (begun.status === 'rejected') throw begun.reason;
    if (done.status === 'rejected') throw done.reason;
    if (ended.status === 'rejected') throw ended.reason;
    return done.value;
  }

  private get asRole(): string {
    return this.role === null ? '' : `; SET LOCAL ROLE ${this.role}`;
  }
}

/** Known to the driver, and not to its types. */
const PIPELINE: object = { pipeline: true };

const INT8 = 20;
const BYTEA = 17;

type TypeId = Parameters<typeof pg.types.getTypeParser>[0];

/** Results come as text: nothing here asks for the binary format. */
function getTypeParser(id: TypeId): unknown {
  const oid: number = id;
  if (oid === INT8) return Number;
  if (oid === BYTEA) return (text: string) => Buffer.from(text.slice(2), 'hex');
  return pg.types.getTypeParser(id);
}
