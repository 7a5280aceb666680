import pg from 'pg';
import type { SchemaVersions } from '#libs/application';
import type { SchemaAnswer, SchemaSource } from '#libs/domain';

/** Of the connection, and of the question: a rollback waits for both, and cannot be decided without them; ms. */
const CONNECT_WITHIN_MS = 3_000;
const ANSWER_WITHIN_MS = 3_000;
/** A transaction that cannot write, whatever it is asked, and ends by itself. */
const BEGIN = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${String(ANSWER_WITHIN_MS)}; SET LOCAL lock_timeout = 1000`;
const LONGEST = 80;

export interface SchemaVersionsParts {
  /** Of the process: the addresses are secrets, and stand in no file of the policy. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The users' own databases, which are none of Jobwarden's: a connection of its own for each question, closed after it, so that nothing is held
 * there while nothing is wrong. The question is one statement of the extended protocol, in a transaction that reads only.
 */
export class PgSchemaVersions implements SchemaVersions {
  constructor(private readonly parts: SchemaVersionsParts) {}

  async ask({ databaseUrlEnv, query }: SchemaSource): Promise<SchemaAnswer> {
    const url = this.parts.env[databaseUrlEnv];
    if (url === undefined || url === '') return { unknown: `${databaseUrlEnv} is not set` };
    let client: pg.Client | null = null;
    try {
      client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_WITHIN_MS, query_timeout: ANSWER_WITHIN_MS + 1_000, application_name: 'jobwarden-schema' });
      // A connection that breaks between two statements is told by the next one.
      client.on('error', () => undefined);
      await client.connect();
      await client.query(BEGIN);
      const { rows } = await client.query<unknown[]>({ text: query, rowMode: 'array', queryMode: 'extended' } as pg.QueryArrayConfig);
      return answerOf(databaseUrlEnv, rows);
    } catch (error) {
      return { unknown: `the database of ${databaseUrlEnv} could not be asked: ${saidBy(error)}` };
    } finally {
      await client?.end().catch(() => undefined);
    }
  }
}

function answerOf(name: string, rows: readonly (readonly unknown[])[]): SchemaAnswer {
  const [row] = rows;
  if (row === undefined || rows.length > 1 || row.length !== 1) {
    const columns = row === undefined ? '' : ` of ${String(row.length)} values`;
    return { unknown: `the query of ${name} answered ${String(rows.length)} rows${columns}, not one of one value` };
  }
  const [value] = row;
  if (value === null || value === undefined) return { unknown: `the query of ${name} answered null: no migration is recorded` };
  const version = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value).trim() : typeof value;
  if (/^\d{1,18}(?:\.\d{1,18}){0,3}$/u.test(version)) return { version };
  return { unknown: `the query of ${name} answered ${JSON.stringify(version.slice(0, LONGEST))}, which is no version` };
}

/** A code and a sentence; the address, which may hold a password, is in neither. */
function saidBy(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason was given';
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  const message = error instanceof AggregateError && error.message === '' ? 'it cannot be reached' : error.message;
  return `${message.slice(0, 2 * LONGEST)}${code}`;
}
