import { REPLICA_DEAD_AFTER_MS, type Page, type PageOf, type RefusalChange, type RefusedList, type RefusedRevision, type RefusedRevisionStore, type RunAt } from '#libs/application';
import type { Database, Queryable } from '../database.js';
import { Conditions, numberAfter, onePast, paged, rowId } from '../read/paging.js';
import { runStands } from '../saga/run-stands.js';
import { refusalOf, type RefusalRow } from './rows.js';
import * as sql from './statements.js';

interface ReadRow extends Omit<RefusalRow, 'refusal_id'> {
  readonly refusals_version: number;
  /** null: nothing stands. */
  readonly refusal_id: number | null;
}

/** Releases that are out of service. Every change takes the next version under the lock of the installation's row. */
export class PgRefusedRevisionStore implements RefusedRevisionStore {
  constructor(private readonly database: Database) {}

  async read(): Promise<RefusedList> {
    const rows = await this.database.prepared<ReadRow>('refusals_read', sql.READ, []);
    const standing = rows.flatMap((row) => (row.refusal_id === null ? [] : [refusalOf({ ...row, refusal_id: row.refusal_id })]));
    return { version: rows[0]?.refusals_version ?? 0, standing };
  }

  async set(change: RefusalChange): Promise<{ readonly refusal: RefusedRevision; readonly changed: boolean }> {
    return await this.database.transaction(async (tx) => await set(tx, change));
  }

  async setFor(run: RunAt, change: Omit<RefusalChange, 'incidentId'>): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (await runStands(tx, run)) await set(tx, { ...change, incidentId: run.incidentId });
    });
  }

  async lift({ namespace, queue, revision, reason, by }: Omit<RefusalChange, 'incidentId'>): Promise<RefusedRevision | null> {
    return await this.database.transaction(async (tx) => {
      await nextVersion(tx);
      const [row] = await tx.query<RefusalRow>(sql.LIFT, [namespace, queue, revision, by, reason]);
      return row === undefined ? null : refusalOf(row);
    });
  }

  /** A replica that counts as dead has no claim left that could yet be granted: its transaction has been ended, and before another one it reads the list. */
  async leastRead(): Promise<number | null> {
    const [row] = await this.database.query<{ least: number | null }>(sql.LEAST_READ, [REPLICA_DEAD_AFTER_MS]);
    return row?.least ?? null;
  }

  async list({ namespace, queue, revision }: { readonly namespace: string; readonly queue?: string; readonly revision?: string }, page: Page): Promise<PageOf<RefusedRevision>> {
    const conditions = new Conditions().add('namespace = $', namespace).add('(queue IS NULL OR queue = $)', queue).add('revision = $', revision);
    conditions.add('refusal_id < $', numberAfter(page));
    const limit = conditions.param(onePast(page));
    const rows = await this.database.query<RefusalRow>(
      `SELECT ${sql.COLUMNS} FROM jobwarden.refused_revisions ${conditions.where} ORDER BY refusal_id DESC LIMIT ${limit}`,
      conditions.values,
    );
    return paged(rows, page, (row) => String(row.refusal_id), refusalOf);
  }
}

async function set(tx: Queryable, { namespace, queue, revision, reason, by, incidentId }: RefusalChange): Promise<{ readonly refusal: RefusedRevision; readonly changed: boolean }> {
  const version = await nextVersion(tx);
  const values = [namespace, queue, revision, reason, by, incidentId === null ? null : rowId(incidentId), version];
  const [made] = await tx.query<RefusalRow>(sql.SET, values);
  if (made !== undefined) return { refusal: refusalOf(made), changed: true };
  const [before] = await tx.query<RefusalRow>(sql.STANDING, [namespace, queue, revision]);
  if (before === undefined) throw new Error('a refusal neither was made nor stood');
  return { refusal: refusalOf(before), changed: false };
}

async function nextVersion(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ refusals_version: number }>(sql.NEXT_VERSION);
  if (row === undefined) throw new Error('the installation row is missing: run the migrations');
  return row.refusals_version;
}
