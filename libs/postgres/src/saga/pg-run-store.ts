import type { RunAt, RunQueue, RunQueueName, RunStore, Try } from '#libs/application';
import { ACTS_OF_A_RUN, type ActedRun, type TriesLook } from '#libs/domain';
import { texts } from '../arrays.js';
import type { Database } from '../database.js';
import type { QueueIds } from '../log/queue-ids.js';
import { runStands } from './run-stands.js';
import * as sql from './statements.js';

/** Longer than anything within it may take without a statement: an act has a limit of its own, far below. */
const BEGIN_ALONE = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '30s'`;
const TRY_LOCK = `SELECT pg_try_advisory_xact_lock(hashtextextended('saga/' || $1, 0)) AS mine`;

interface QueueRow {
  readonly namespace: string;
  readonly queue: string;
  readonly saturated: boolean;
  readonly before_gate: NonNullable<RunQueue['before']>['gate'] | null;
  readonly before_per_second: number | null;
  readonly normal_per_second: number | null;
  readonly share_percent: number | null;
}

/**
 * What runs keep beside their steps. That one replica at a time drives an incident is a lock of a transaction that does
 * nothing else: it ends with the connection, so a killed process holds nothing up. What keeps a slow one from doing harm is
 * not the lock but the number of the last step, checked with every try, every step and everything that is kept for the run.
 */
export class PgRunStore implements RunStore {
  constructor(
    private readonly database: Database,
    private readonly queueIds: QueueIds,
  ) {}

  async nowMs(): Promise<number> {
    const [row] = await this.database.query<{ now_ms: number }>('SELECT jobwarden.lane_now() AS now_ms');
    return row?.now_ms ?? 0;
  }

  async alone<T>(key: string, work: () => Promise<T>): Promise<T | null> {
    return await this.database.transaction(async (tx) => {
      const [row] = await tx.query<{ mine: boolean }>(TRY_LOCK, [key]);
      return row?.mine === true ? await work() : null;
    }, BEGIN_ALONE);
  }

  async toDrive(): ReturnType<RunStore['toDrive']> {
    const rows = await this.database.prepared<{ id: number; n: number; open: boolean }>('saga_to_drive', sql.TO_DRIVE, []);
    return rows.map(({ id, n, open }) => ({ id: String(id), n, open }));
  }

  async queues(incidentId: string): Promise<readonly RunQueue[]> {
    return (await this.database.prepared<QueueRow>('saga_queues', sql.QUEUES, [incidentId])).map(queueOf);
  }

  async join(incidentId: string, queues: Parameters<RunStore['join']>[1]): Promise<number> {
    if (queues.length === 0) return 0;
    const ids = await this.queueIds.of(queues);
    const idsOf = new Map<number, boolean>();
    for (const q of queues) {
      const id = ids.get(`${q.namespace}\0${q.queue}`);
      if (id !== undefined) idsOf.set(id, q.saturated || idsOf.get(id) === true);
    }
    const rows = await this.database.query<{ is_new: boolean }>(sql.JOIN, [incidentId, [...idsOf.keys()], [...idsOf.values()]]);
    return rows.filter((row) => row.is_new).length;
  }

  async hold(run: RunAt, queue: RunQueueName, { before, normalPerSecond, sharePercent }: Parameters<RunStore['hold']>[2]): Promise<boolean> {
    const values = [run.incidentId, await this.idOf(queue), before?.gate ?? null, before?.perSecond ?? null, normalPerSecond, sharePercent];
    return await this.whileAt(run, sql.HOLD, values);
  }

  async letGo(run: RunAt, queue: RunQueueName): Promise<void> {
    await this.whileAt(run, sql.LET_GO, [run.incidentId, await this.idOf(queue)]);
  }

  private async whileAt(run: RunAt, statement: string, values: readonly unknown[]): Promise<boolean> {
    return await this.database.transaction(async (tx) => {
      const stands = await runStands(tx, run);
      if (stands) await tx.query(statement, values);
      return stands;
    });
  }

  async tries(incidentId: string, n: number): Promise<TriesLook> {
    const [row] = await this.database.prepared<{ count: number; last_ms: number | null; writes: number; oldest_write_ms: number | null }>(
      'saga_tries',
      sql.TRIES,
      [incidentId, n],
    );
    return { count: row?.count ?? 0, lastMs: row?.last_ms ?? null, writes: row?.writes ?? 0, oldestWriteMs: row?.oldest_write_ms ?? null };
  }

  async mayAct({ incidentId, n }: RunAt): Promise<boolean> {
    const [row] = await this.database.prepared<{ may: boolean }>('saga_may_act', sql.MAY_ACT_NOW, [incidentId, n]);
    return row?.may ?? false;
  }

  async begin({ incidentId, n, act, calls }: Try, bounds: Parameters<RunStore['begin']>[1]): Promise<boolean> {
    return await this.database.transaction(async (tx) => {
      if (!(await runStands(tx, { incidentId, n: bounds.afterN }, { alone: true }))) return false;
      const rows = await tx.query(sql.BEGIN_TRY, [incidentId, n, act, calls, bounds.tries, bounds.callsPerMinute]);
      return rows.length > 0;
    });
  }

  async acted(sinceMs: number): Promise<readonly ActedRun[]> {
    const rows = await this.database.query<ActedRow>(sql.ACTED, [sinceMs, texts(ACTS_OF_A_RUN)]);
    return rows.map(({ id, subject, found, open, at_ms: atMs, did, namespaces, queues }) => ({
      ...{ incidentId: String(id), subject, open, did, atMs },
      found: typeof found?.cause === 'string' ? { cause: found.cause, subject: found.subject ?? null } : null,
      queues: queues.map((queue, i) => ({ namespace: namespaces[i] ?? '', queue })),
    }));
  }

  async knownQueues(): Promise<readonly RunQueueName[]> {
    return await this.database.query<{ namespace: string; queue: string }>(sql.KNOWN_QUEUES);
  }

  private async idOf({ namespace, queue }: RunQueueName): Promise<number | undefined> {
    return (await this.queueIds.of([{ namespace, queue }])).get(`${namespace}\0${queue}`);
  }
}

interface ActedRow {
  readonly id: number;
  readonly subject: string;
  /** Evidence of the last look at its cause. */
  readonly found: { readonly cause?: string; readonly subject?: string | null } | null;
  readonly open: boolean;
  readonly at_ms: number;
  readonly did: ActedRun['did'];
  /** As many as `queues`: in which each of them is. */
  readonly namespaces: readonly string[];
  readonly queues: readonly string[];
}

function queueOf(row: QueueRow): RunQueue {
  const { namespace, queue, saturated, before_gate: gate, before_per_second: perSecond, normal_per_second: normalPerSecond, share_percent: sharePercent } = row;
  return { namespace, queue, saturated, before: gate === null ? null : { gate, perSecond }, normalPerSecond, sharePercent };
}
