import type { CompareStore, JobStanding, LiveJob } from '#libs/application';
import type { Invalidates, JobStatus } from '#libs/domain';
import type { Database } from '../database.js';
import * as sql from './statements.js';

export class PgCompareStore implements CompareStore {
  constructor(private readonly database: Database) {}

  async laneNowMs(): Promise<number> {
    const [row] = await this.database.query<{ now_ms: number }>(sql.LANE_NOW);
    return row?.now_ms ?? 0;
  }

  async standings(keysHex: readonly string[]): Promise<ReadonlyMap<string, JobStanding>> {
    const rows = await this.database.prepared<StandingRow>('compare_standings', sql.STANDINGS, [bytes(keysHex)]);
    return new Map(rows.map(({ key, status, attempt, since_ms: sinceMs }) => [key, { status, attempt, sinceMs }]));
  }

  async live(
    scope: { readonly namespace: string; readonly queue: string; readonly untilMs: number },
    page: { readonly limit: number; readonly after: string | null },
  ): Promise<{ readonly items: readonly LiveJob[]; readonly next: string | null }> {
    let at = page.after === null ? START : (JSON.parse(page.after) as Place);
    const items: LiveJob[] = [];
    while (at.status < sql.LIVE_STATUSES.length) {
      const limit = page.limit - items.length;
      const values = [scope.namespace, scope.queue, sql.LIVE_STATUSES[at.status], scope.untilMs, at.sinceMs, Buffer.from(at.key, 'hex'), limit];
      const rows = await this.database.prepared<StandingRow & { readonly job_id: string }>('compare_live', sql.LIVE, values);
      items.push(...rows.map((r) => ({ keyHex: r.key, id: r.job_id, status: r.status, attempt: r.attempt, sinceMs: r.since_ms })));
      const last = rows.at(-1);
      if (last !== undefined && rows.length === limit) {
        return { items, next: JSON.stringify({ status: at.status, sinceMs: last.since_ms, key: last.key }) };
      }
      at = { ...START, status: at.status + 1 };
    }
    return { items, next: null };
  }

  /** Keys and tags that jobs' successes brought. */
  async invalidatesOfSuccesses(keysHex: readonly string[]): Promise<ReadonlyMap<string, Invalidates>> {
    const rows = await this.database.query<{ key: string; invalidates: Partial<Invalidates> }>(sql.SUCCESSES, [bytes(keysHex)]);
    const found = new Map<string, Invalidates>();
    for (const { key, invalidates } of rows) {
      const before = found.get(key) ?? { keys: [], tags: [] };
      found.set(key, {
        keys: [...new Set([...before.keys, ...(invalidates.keys ?? [])])],
        tags: [...new Set([...before.tags, ...(invalidates.tags ?? [])])],
      });
    }
    return found;
  }
}

interface StandingRow {
  readonly key: string;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly since_ms: number;
}

/** Behind which job a page begins: which of the statuses, since when, key. */
interface Place {
  readonly status: number;
  readonly sinceMs: number;
  readonly key: string;
}
const START: Place = { status: 0, sinceMs: Number.MIN_SAFE_INTEGER, key: '' };

function bytes(keysHex: readonly string[]): Buffer[] {
  return keysHex.map((key) => Buffer.from(key, 'hex'));
}
