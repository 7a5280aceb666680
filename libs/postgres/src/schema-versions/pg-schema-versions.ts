import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { SchemaVersions } from '#libs/application';
import type { SchemaAnswer, SchemaSource } from '#libs/domain';

/** Of the connection, and of the question: a rollback waits for both, and cannot be decided without them; ms. */
const CONNECT_WITHIN_MS = 3_000;
const ANSWER_WITHIN_MS = 3_000;
/** Of all of it: looks at runs are driven one after the other, and a peer that says nothing must not hold up the others. */
const WITHIN_MS = CONNECT_WITHIN_MS + ANSWER_WITHIN_MS;
/** For a peer to close the connection; one that never does is left. */
const CLOSE_WITHIN_MS = 500;
/** A transaction that cannot write, whatever it is asked, and ends by itself. */
const BEGIN = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${String(ANSWER_WITHIN_MS)}; SET LOCAL lock_timeout = 1000`;
/** Of an answer, with all that the protocol says around it; a version takes less than a hundred bytes. */
const MOST_BYTES = 64_000;
const LONGEST = 80;
/** Asking again may help: the network, connections that ran out, a server that starts or stops, a lock that a migration holds. */
const PASSING = /^(?:08...|53300|57P0[1-3]|57014|55P03|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/u;
/** What the driver says without a code of a connection that was not made in time, or broke. */
const BROKEN = /^(?:timeout expired|Connection terminated)/u;

export interface SchemaVersionsParts {
  /** Of the process: the addresses are secrets, and stand in no file of the policy. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Limit of one question, connection included, ms. */
  readonly withinMs?: number;
}

/**
 * The users' own databases, which are none of Jobwarden's: a connection of its own for each question, closed after it, so that nothing is held
 * there while nothing is wrong. The question is one statement of the extended protocol, in a transaction that reads only. Of the answer no more is
 * taken in than its beginning: a replica does other work beside it, and one value may be a gigabyte. It is bounded where it is received, since a
 * query around the user's would refuse what is no subquery, such as `SHOW`.
 */
export class PgSchemaVersions implements SchemaVersions {
  constructor(private readonly parts: SchemaVersionsParts) {}

  async ask({ databaseUrlEnv, query }: SchemaSource): Promise<SchemaAnswer> {
    const url = this.parts.env[databaseUrlEnv];
    if (url === undefined || url === '') return { unknown: `${databaseUrlEnv} is not set` };
    const { withinMs = WITHIN_MS } = this.parts;
    const socket = new Socket();
    const asked = this.answer(url, query, socket).then(
      (rows) => answerOf(databaseUrlEnv, rows),
      (error: unknown) => unanswered(databaseUrlEnv, saidBy(error), isPassing(error)),
    );
    const late = unanswered(databaseUrlEnv, `it has not answered within ${String(withinMs)} ms`, true);
    try {
      return await within(withinMs, asked, late);
    } finally {
      socket.destroy();
    }
  }

  private async answer(url: string, query: string, socket: Socket): Promise<Rows | TooMuch> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_WITHIN_MS, application_name: 'jobwarden-schema', stream: () => socket });
    // A connection that breaks between two statements is told by the next one.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(BEGIN);
      return await firstRows(client, query);
    } finally {
      await within(CLOSE_WITHIN_MS, client.end().catch(() => undefined), undefined);
    }
  }
}

type Rows = readonly (readonly unknown[])[];
type TooMuch = 'too-much';

/** No more than two rows, however many there are: the second one says already that it is no answer. After too many bytes the connection is cut. */
async function firstRows(client: pg.Client, text: string): Promise<Rows | TooMuch> {
  const rows: unknown[][] = [];
  const config = { text, rowMode: 'array', queryMode: 'extended', rows: 2 };
  return await new Promise<Rows | TooMuch>((resolve, reject) => {
    const query = new pg.Query<unknown[]>(config);
    const submit = query.submit.bind(query);
    // Here and no earlier: with TLS the stream is another one than that which was connected.
    query.submit = (connection) => {
      onceReceived(connection.stream, MOST_BYTES, () => {
        resolve('too-much');
        connection.stream.destroy();
      });
      submit(connection);
    };
    query.on('row', (row) => {
      rows.push(row);
      if (rows.length > 1) resolve(rows);
    });
    query.on('end', () => resolve(rows));
    query.on('error', reject);
    client.query(query);
  });
}

/** Bytes from now on. The driver keeps what it is given until a row is whole. */
function onceReceived(stream: Duplex, bytes: number, enough: () => void): void {
  let received = 0;
  stream.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > bytes) enough();
  });
}

async function within<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => (timer = setTimeout(resolve, ms, late)));
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function unanswered(name: string, why: string, passing: boolean): SchemaAnswer {
  return { unknown: `the database of ${name} could not be asked: ${why}`, ...(passing ? { passing } : {}) };
}

function answerOf(name: string, rows: Rows | TooMuch): SchemaAnswer {
  if (rows === 'too-much') {
    const most = String(MOST_BYTES / 1_000);
    return { unknown: `the query of ${name} answered more than ${most} kB, not one row of one value: let it select the version alone, as select max(version) does` };
  }
  const [row] = rows;
  if (row === undefined || rows.length > 1 || row.length !== 1) {
    const what = row === undefined ? 'no row' : rows.length > 1 ? 'more than one row' : `one row of ${String(row.length)} values`;
    return { unknown: `the query of ${name} answered ${what}, not one row of one value` };
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

function isPassing(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isPassing);
  if (!(error instanceof Error)) return false;
  return 'code' in error && typeof error.code === 'string' ? PASSING.test(error.code) : BROKEN.test(error.message);
}
