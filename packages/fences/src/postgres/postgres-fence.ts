import { StaleTokenError } from '../stale-token-error.js';
import { tokenText } from '../token.js';
import { POSTGRES_FENCE_SQL } from './install-sql.js';

/** A client of `pg`, or whatever has the same `query`. */
export interface PgQueryable {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** The SQLSTATE of a stale token. */
const STALE = 'JW412';

/** Creates the table `jobwarden_fences` and its two functions, in the first schema of the search path. Idempotent. */
export async function installPostgresFence(client: PgQueryable): Promise<void> {
  await client.query(POSTGRES_FENCE_SQL);
}

/**
 * Call it in your own transaction, before the write, on that transaction's client (never on a pool). Others with the same
 * resource then wait until the transaction ends. The same token may write again: a repeat of the same attempt is the same
 * worker's. Call it for several resources in one order everywhere, or two transactions may deadlock.
 *
 * @param resource What is written, with the job in its name: tokens of two jobs say nothing of each other.
 * @throws StaleTokenError, after which PostgreSQL takes nothing more but a rollback. RangeError for what is no token.
 *   Under REPEATABLE READ and SERIALIZABLE also a serialization failure (40001), as any racing write does there: repeat
 *   the transaction, and this call then answers.
 */
export async function postgresFence(client: PgQueryable, resource: string, token: number): Promise<void> {
  try {
    await client.query('SELECT jobwarden_fence($1, $2)', [resource, tokenText(token)]);
  } catch (error) {
    throw isStale(error) ? new StaleTokenError(resource, token, { cause: error }) : error;
  }
}

/** As `postgresFence`, but a stale token is answered with false, and the transaction may go on with something else. */
export async function postgresFenceHolds(client: PgQueryable, resource: string, token: number): Promise<boolean> {
  const { rows } = await client.query('SELECT jobwarden_fence_holds($1, $2) AS holds', [resource, tokenText(token)]);
  return (rows[0] as { readonly holds: boolean }).holds;
}

function isStale(error: unknown): boolean {
  return error instanceof Error && (error as { readonly code?: unknown }).code === STALE;
}
