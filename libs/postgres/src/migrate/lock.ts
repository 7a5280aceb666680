import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { RetryableError, TerminalError } from '#libs/application';
import type { Patience } from './progress.js';

/**
 * One number for all of Jobwarden's migrations on a server's database: two runners would both create the tables.
 *
 * The lock belongs to a transaction of a connection that does nothing else. Whoever dies gives it back by that, and the
 * next one goes on; what the dead one's other connection still does on the server is waited for (`WORK_LOCK`).
 */
const MIGRATION_LOCK = 7_411_000_001;
/** Taken by each migration's own transaction: it lasts as long as the server works on it, whatever has become of the program. */
export const WORK_LOCK = 7_411_000_002;

const LOOK_EVERY_MS = 250;
const TELL_EVERY_MS = 30_000;
/** The server cuts longer names. */
const LONGEST_NAME = 63;

const TRY = 'SELECT pg_try_advisory_xact_lock($1) AS taken';

/** Names and pids of all sessions may be read by everybody; what they do, by few. */
const HOLDER = `
SELECT a.pid, a.application_name AS name, a.usename AS "user"
FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (l.classid::bigint << 32) + l.objid::bigint = $1`;

const BLOCKERS = `
SELECT a.pid, a.application_name AS name, a.usename AS "user" FROM pg_stat_activity a WHERE a.pid = ANY (pg_blocking_pids($1))`;

interface Session {
  readonly pid: number;
  readonly name: string | null;
  readonly user: string | null;
}

/** The connection that holds the lock. Its transaction lasts as long as the migrations do. */
export class MigrationLock {
  private constructor(readonly client: pg.Client) {}

  /** Waits for its turn, telling who has it. Throws TerminalError `migration_locked` once patience is over. */
  static async take(url: string, patience: Patience): Promise<MigrationLock> {
    const name = `jobwarden-migrate ${hostname()}:${String(process.pid)}`.slice(0, LONGEST_NAME);
    const client = new pg.Client({ connectionString: url, application_name: name });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await wait(client, patience);
      return new MigrationLock(client);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /** Who keeps the session `pid` from going on; empty where nobody does. */
  async blockersOf(pid: number): Promise<readonly string[]> {
    const { rows } = await this.client.query<Session>(BLOCKERS, [pid]);
    return rows.map(spoken);
  }

  async release(end: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    try {
      await this.client.query(end);
    } finally {
      await this.client.end();
    }
  }
}

async function wait(client: pg.Client, patience: Patience): Promise<void> {
  let told = '';
  let toldMs = -Infinity;
  for (;;) {
    // Of a transaction, not of a session: behind a pooler that would be held by nobody, and for ever.
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    const [row] = (await client.query<{ taken: boolean }>(TRY, [MIGRATION_LOCK])).rows;
    if (row?.taken === true) return;
    const holder = await holderOf(client);
    await client.query('COMMIT');
    if (patience.isOver) throw new TerminalError('migration_locked', `another process migrates, and has not finished: ${holder}`);
    if (patience.signal?.aborted === true) throw new RetryableError('migration_ended', 'told to end while another process migrated');
    if (holder !== told || performance.now() - toldMs >= TELL_EVERY_MS) {
      patience.tell({ kind: 'waiting', holder });
      [told, toldMs] = [holder, performance.now()];
    }
    await delay(LOOK_EVERY_MS, undefined, { ...(patience.signal !== undefined && { signal: patience.signal }) }).catch(() => undefined);
  }
}

async function holderOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<Session>(HOLDER, [MIGRATION_LOCK]);
  return rows[0] === undefined ? 'which has just let go' : spoken(rows[0]);
}

function spoken({ pid, name, user }: Session): string {
  return `${name === null || name === '' ? 'a session without a name' : name} (session ${String(pid)} of ${user ?? 'the server itself'})`;
}
