import {
  MESSAGE_KINDS,
  type MessageKind,
  type ParkedMessage,
  type PublishedStep,
  type PublishingReport,
  type ShardLag,
} from '#libs/application';
import type { Database } from '../database.js';
import { invalidCursor, rowId } from '../read/paging.js';
import * as sql from './report-statements.js';

export class PgPublishingReport implements PublishingReport {
  constructor(private readonly database: Database) {}

  async lag(): Promise<readonly ShardLag[]> {
    const rows = await this.database.prepared<LagRow>('publish_lag', sql.LAG, []);
    return rows.map(({ shard, holder, checkpoint, oldest_ms }) => ({ shard, holder, checkpoint, oldestMs: oldest_ms }));
  }

  async parkedCount(): Promise<number> {
    const [row] = await this.database.query<{ parked: number }>(sql.PARKED_COUNT);
    return row?.parked ?? 0;
  }

  async retryingCount(): Promise<number> {
    const [row] = await this.database.query<{ retrying: number }>(sql.RETRYING_COUNT);
    return row?.retrying ?? 0;
  }

  async parked(
    scope: { readonly namespace: string; readonly queue?: string; readonly installation?: boolean },
    page: { readonly limit: number; readonly after: string | null },
  ): Promise<{ readonly items: readonly ParkedMessage[]; readonly next: string | null }> {
    const after = page.after === null ? null : cursorOf(page.after);
    const rows = await this.database.query<ParkedRow>(sql.PARKED_LIST, [
      scope.namespace,
      scope.queue ?? null,
      after?.atUs ?? null,
      after?.id ?? null,
      page.limit + 1,
      scope.installation ?? false,
    ]);
    const shown = rows.slice(0, page.limit);
    const last = rows.length > page.limit ? shown.at(-1) : undefined;
    return { items: shown.map(parkedOf), next: last === undefined ? null : `${String(last.at_us)}/${last.id}` };
  }

  async ofIncident(incidentId: string): Promise<readonly PublishedStep[]> {
    const rows = await this.database.query<OpenRow>(sql.OF_INCIDENT, [rowId(incidentId)]);
    return [...Map.groupBy(rows, ({ n }) => n)].map(([n, of]) => ({
      n,
      open: of.flatMap(({ webhook, tries, detail, parked }) => (webhook === null ? [] : [{ webhook, tries, detail, parked }])),
    }));
  }

  async retry(id: string, namespace: string, installation = false): Promise<boolean> {
    const target = targetOf(id);
    if (target === null) return false;
    const { shard, number, kind, webhook } = target;
    const done =
      webhook === null
        ? await this.database.query(sql.RETRY_OUTBOUND, [namespace, shard, number, kind])
        : await this.database.query(sql.RETRY_DELIVERY, [namespace, shard, number, kind, webhook, installation]);
    return done.length > 0;
  }
}

interface LagRow {
  readonly shard: number;
  readonly holder: string | null;
  readonly checkpoint: number;
  readonly oldest_ms: number;
}

interface OpenRow {
  readonly n: number;
  /** null, as is nothing else then: all have acknowledged it. */
  readonly webhook: string | null;
  readonly tries: number;
  readonly detail: string | null;
  readonly parked: boolean;
}

interface ParkedRow {
  readonly id: string;
  readonly at_us: number;
  readonly kind: MessageKind;
  readonly target: string;
  readonly tries: number;
  readonly detail: string;
  readonly behind: number;
  readonly namespace: string | null;
  readonly queue: string | null;
  readonly job_id: string;
}

function parkedOf({
  id,
  at_us,
  kind,
  target,
  tries,
  detail,
  behind,
  namespace,
  queue,
  job_id,
}: ParkedRow): ParkedMessage {
  const ref = { namespace, queue, id: job_id };
  return { id, atMs: Math.floor(at_us / 1_000), ref, kind, target, tries, detail, behind };
}

function cursorOf(text: string): { readonly atUs: number; readonly id: string } {
  const found = /^(\d{1,16})\/((?:out|hook)\.[\w.-]{1,80})$/.exec(text);
  if (found?.[1] === undefined || found[2] === undefined) throw invalidCursor();
  return { atUs: Number(found[1]), id: found[2] };
}

interface Target {
  readonly shard: number;
  readonly number: number;
  readonly kind: MessageKind;
  /** Digest of the webhook's name; null = the outbound table. */
  readonly webhook: string | null;
}

/** null: no such id can be. */
function targetOf(id: string): Target | null {
  const found = /^(?:out|(hook))\.(\d{1,4})\.(\d{1,15})\.([a-z-]+)(?:\.([0-9a-f]{16}))?$/.exec(id);
  const kind = MESSAGE_KINDS.find((k) => k === found?.[4]);
  if (found === null || kind === undefined || (found[1] === 'hook') !== (found[5] !== undefined)) return null;
  return { shard: Number(found[2]), number: Number(found[3]), kind, webhook: found[5] ?? null };
}
