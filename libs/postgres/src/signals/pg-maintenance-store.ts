import type { MaintenanceStore, Page, PageOf } from '#libs/application';
import type { MaintenanceWindow } from '#libs/domain';
import type { Queryable } from '../database.js';
import { Conditions, numberAfter, onePast, paged, rowId } from '../read/paging.js';

const COLUMNS = 'window_id, namespace, queue, target, from_ms, until_ms, reason, made_by, made_ms, ended_ms, ended_by';
const FIND = `SELECT ${COLUMNS} FROM jobwarden.maintenance_windows`;
const STANDING = `${FIND} WHERE ended_ms IS NULL AND until_ms > (SELECT jobwarden.lane_now()) ORDER BY window_id`;
const START = `
INSERT INTO jobwarden.maintenance_windows (namespace, queue, target, from_ms, until_ms, reason, made_by, made_ms)
SELECT $1, $2, $3, coalesce($4::bigint, n.ms), $5, $6, $7, n.ms FROM (SELECT jobwarden.lane_now() AS ms) AS n
RETURNING ${COLUMNS}`;
const END = `
UPDATE jobwarden.maintenance_windows SET ended_ms = jobwarden.lane_now(), ended_by = $2
WHERE window_id = $1 AND ended_ms IS NULL AND until_ms > (SELECT jobwarden.lane_now())`;

interface StoredWindow {
  readonly window_id: number;
  readonly namespace: string | null;
  readonly queue: string | null;
  readonly target: string | null;
  readonly from_ms: number;
  readonly until_ms: number;
  readonly reason: string;
  readonly made_by: string;
  readonly made_ms: number;
  readonly ended_ms: number | null;
  readonly ended_by: string | null;
}

export class PgMaintenanceStore implements MaintenanceStore {
  constructor(private readonly database: Queryable) {}

  async standing(): Promise<readonly MaintenanceWindow[]> {
    return (await this.database.query<StoredWindow>(STANDING)).map(windowOf);
  }

  async start(window: Parameters<MaintenanceStore['start']>[0]): Promise<MaintenanceWindow> {
    const { namespace, queue, target, fromMs, untilMs, reason, by } = window;
    const [row] = await this.database.query<StoredWindow>(START, [namespace, queue, target, fromMs, untilMs, reason, by]);
    if (row === undefined) throw new Error('an insert answered no row');
    return windowOf(row);
  }

  async end(id: string, by: string): Promise<MaintenanceWindow | null> {
    await this.database.query(END, [rowId(id), by]);
    return await this.one(id);
  }

  async one(id: string): Promise<MaintenanceWindow | null> {
    const [row] = await this.database.query<StoredWindow>(`${FIND} WHERE window_id = $1`, [rowId(id)]);
    return row === undefined ? null : windowOf(row);
  }

  async list({ namespaces }: { readonly namespaces: readonly string[] | 'all' }, page: Page): Promise<PageOf<MaintenanceWindow>> {
    const conditions = new Conditions()
      .add('namespace = ANY ($::text[])', namespaces === 'all' ? null : namespaces)
      .add('window_id < $', numberAfter(page));
    const limit = conditions.param(onePast(page));
    const rows = await this.database.query<StoredWindow>(`${FIND} ${conditions.where} ORDER BY window_id DESC LIMIT ${limit}`, conditions.values);
    return paged(rows, page, (row) => String(row.window_id), windowOf);
  }
}

function windowOf(row: StoredWindow): MaintenanceWindow {
  const { namespace, queue, target, reason } = row;
  return {
    id: String(row.window_id),
    ...{ namespace, queue, target, reason, by: row.made_by, madeMs: row.made_ms },
    ...{ fromMs: row.from_ms, untilMs: row.until_ms, endedMs: row.ended_ms, endedBy: row.ended_by },
  };
}
