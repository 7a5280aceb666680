import pg from 'pg';

/** Why a tap cannot begin, in words for whoever called it. */
export class ObserveError extends Error {
  override readonly name = 'ObserveError';
  /** Of `no_such_queue`: those that there are. */
  readonly there: readonly string[];

  constructor(
    /** `unreachable`: worth another try. `refused`: wrong password, missing rights, no pg-boss, too old a one. */
    readonly code: 'unreachable' | 'refused' | 'no_such_queue',
    message: string,
    { cause, there = [] }: { readonly cause?: unknown; readonly there?: readonly string[] } = {},
  ) {
    super(message, { cause });
    this.there = there;
  }
}

const STATEMENT_MS = 30_000;

/** Every look is a transaction that PostgreSQL itself lets write nothing, on one state of the database. */
export class ReadOnlyDatabase {
  /** Statements sent, without those that begin and end a look. */
  statements = 0;
  private client: pg.Client | null = null;

  constructor(private readonly url: string) {
    if (!URL.canParse(url) || !/^postgres(?:ql)?:$/u.test(new URL(url).protocol)) {
      throw new ObserveError('refused', 'The address of the database must begin with postgres:// or postgresql://.');
    }
  }

  /** @throws ObserveError */
  async look<T>(read: (query: Query) => Promise<T>): Promise<T> {
    try {
      const client = await this.connected();
      await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      try {
        await client.query(`SET LOCAL statement_timeout = ${String(STATEMENT_MS)}`);
        return await read(async <R extends pg.QueryResultRow>(text: string, values: readonly unknown[]) => {
          this.statements += 1;
          return (await client.query<R>(text, [...values])).rows;
        });
      } finally {
        await client.query('COMMIT');
      }
    } catch (error) {
      await this.close();
      throw asObserveError(error, this.url);
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  private async connected(): Promise<pg.Client> {
    if (this.client !== null) return this.client;
    const client = new pg.Client({ connectionString: this.url, application_name: 'jobwarden-tap', connectionTimeoutMillis: 10_000, keepAlive: true });
    // A connection that breaks between two looks: the next one makes another.
    client.on('error', () => {
      if (this.client === client) this.client = null;
    });
    await client.connect();
    this.client = client;
    return client;
  }
}

export type Query = <R extends pg.QueryResultRow>(text: string, values: readonly unknown[]) => Promise<R[]>;

export function asObserveError(error: unknown, url: string): ObserveError {
  if (error instanceof ObserveError) return error;
  const { message, code } = error instanceof Error ? (error as Error & { code?: string }) : { message: String(error) };
  const { host } = new URL(url);
  const said = (mend: string) => new ObserveError('refused', `PostgreSQL at ${host} says: ${message}. ${mend}`, { cause: error });
  switch (code) {
    case '28P01':
    case '28000':
      return said('Give user and password in the address: postgres://user:password@host/database.');
    case '3D000':
      return said('The database is the last part of the address.');
    case '42501':
      return said('A tap needs USAGE on the schema and SELECT on its tables: docs/observe.md has the statements.');
    case '3F000':
    case '42P01':
      return said('Is pg-boss in another schema? See --schema.');
    case '42703':
      return said('This tap reads pg-boss 12.');
    default:
      return new ObserveError('unreachable', `PostgreSQL at ${host} does not answer: ${code ?? message}.`, { cause: error });
  }
}
