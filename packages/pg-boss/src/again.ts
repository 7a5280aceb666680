import type { ConnectionOptions, PgBoss } from 'pg-boss';
import { withCarried, type Carried } from './carried.js';
import { affectedBy, type Row } from './row.js';
import { nextRetryCount, nextStartOf } from './start.js';

export type Attempted = Omit<Carried, 'row' | 'retryCount' | 'payload'>;

export interface Again {
  readonly boss: PgBoss;
  /** As it was read. */
  readonly row: Row;
  /** What its next start is to be. */
  readonly attempted: Attempted;
  /** How long it is to wait, ms. Left out: no longer than pg-boss has said. */
  readonly afterMs?: number;
}

/** `again`: it waits. `taken`: it is not as it was read. `held-off`: the queue's policy lets no other of its kind wait. */
export type AgainOutcome = 'again' | 'taken' | 'held-off';

/**
 * Lets a row wait again, as the attempt that is given. The row stays the one it is, with its options, its time and whatever
 * depends on it.
 *
 *   active             → cancelled, fenced to the start that was read → created
 *   cancelled          → created
 *   failed             → retry
 *   created, retry     → as it is
 *   then, while it waits: attempt, token and what came with the command are written into its data
 *
 * All in one transaction where pg-boss's database has them (its own does). Who had it finds its start gone: pg-boss takes
 * neither a result nor a failure of a start that is not the row's last. Its retries are not used up by it.
 */
export async function again({ boss, row, attempted, afterMs }: Again): Promise<AgainOutcome> {
  const { name, id } = row;
  const { payload, trace } = nextStartOf(row);
  const retryCount = nextRetryCount(row);
  const data = withCarried(payload, { ...attempted, row: id, retryCount, ...(trace !== null && { trace }) });
  // `retry` of pg-boss raises the limit by itself.
  const more = row.state === 'active' || row.state === 'cancelled' ? { retryLimit: row.retryLimit + retryCount - row.retryCount } : {};
  const after = afterMs === undefined ? {} : { startAfter: `${String(Math.max(0, Math.round(afterMs)))} milliseconds` };
  try {
    return await inOneStep(boss, async (options) => {
      if (!(await waits(boss, row, options))) return 'taken';
      const { updated } = await boss.update(name, data, { id, ...more, ...after, ...options });
      return updated === 1 ? 'again' : 'taken';
    });
  } catch (error) {
    if (isConflict(error)) return 'held-off';
    throw error;
  }
}

async function waits(boss: PgBoss, { name, id, retryCount, state }: Row, options: ConnectionOptions): Promise<boolean> {
  switch (state) {
    case 'created':
    case 'retry':
      return true;
    case 'failed':
      return affectedBy(await boss.retry(name, id, options)) === 1;
    case 'active':
      if (affectedBy(await boss.cancel(name, { id, retryCount }, options)) !== 1) return false;
      return affectedBy(await boss.resume(name, id, options)) === 1;
    case 'cancelled':
      return affectedBy(await boss.resume(name, id, options)) === 1;
    case 'completed':
      return false;
  }
}

async function inOneStep(boss: PgBoss, work: (options: ConnectionOptions) => Promise<AgainOutcome>): Promise<AgainOutcome> {
  const transaction = await boss.getDb().beginTransaction?.();
  if (transaction === undefined) return await work({});
  try {
    const outcome = await work({ db: transaction.db });
    // Half of it would be a job that nobody fetches.
    if (outcome === 'again') await transaction.commit();
    else await transaction.rollback();
    return outcome;
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}

/** unique_violation: an index of the queue's policy. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}
