import type { NewFollowUp, Page, PageOf, PostmortemStore, QueueName } from '#libs/application';
import type { FollowUp, FollowUpKind, PostmortemState } from '#libs/domain';
import { texts } from '../arrays.js';
import type { Database } from '../database.js';
import { Conditions, numberAfter, onePast, paged, rowId } from '../read/paging.js';
import { namesOf } from '../outcomes/pg-outcome-store.js';
import * as sql from './statements.js';

interface FollowUpRow {
  readonly follow_up_id: number;
  readonly incident_id: number;
  readonly namespace: string | null;
  readonly kind: FollowUpKind;
  readonly what: string;
  readonly owner: string | null;
  readonly added_by: string;
  readonly added_ms: number;
  readonly done_by: string | null;
  readonly done_ms: number | null;
  readonly done_note: string | null;
}

/** Follow-ups that a postmortem shows. */
const SHOWN = 100;

export class PgPostmortemStore implements PostmortemStore {
  constructor(private readonly database: Database) {}

  async state(incidentId: string): Promise<PostmortemState> {
    const id = rowId(incidentId);
    const answers = await this.database.query<{ item: string; answer: string; answered_by: string; at_ms: number }>(sql.ANSWERS, [id]);
    const [signed] = await this.database.query<{ signed_by: string; note: string | null; at_ms: number }>(sql.SIGNATURE, [id]);
    const followUps = await this.database.query<FollowUpRow>(`${sql.FOLLOW_UPS} WHERE incident_id = $1 ORDER BY follow_up_id LIMIT ${String(SHOWN)}`, [id]);
    const [all] = await this.database.query<{ count: number }>(sql.FOLLOW_UP_COUNT, [id]);
    return {
      answers: answers.map(({ item, answer, answered_by: by, at_ms: atMs }) => ({ item, answer, by, atMs })),
      signature: signed === undefined ? null : { by: signed.signed_by, atMs: signed.at_ms, note: signed.note },
      followUps: followUps.map(followUpOf),
      moreFollowUps: Math.max(0, (all?.count ?? 0) - followUps.length),
    };
  }

  async answer(incidentId: string, { item, answer, by }: { readonly item: string; readonly answer: string; readonly by: string }): Promise<boolean> {
    return await this.locked(incidentId, sql.ANSWER, [item, answer, by]);
  }

  async sign(incidentId: string, { by, note }: { readonly by: string; readonly note: string | null }): Promise<boolean> {
    return await this.locked(incidentId, sql.SIGN, [by, note]);
  }

  async addFollowUp({ incidentId, namespace, kind, text, owner, by }: NewFollowUp): Promise<FollowUp> {
    const [row] = await this.database.query<FollowUpRow>(sql.ADD_FOLLOW_UP, [rowId(incidentId), namespace, kind, text, owner, by]);
    if (row === undefined) throw new Error('an insert answered no row');
    return followUpOf(row);
  }

  async finishFollowUp(id: string, { by, note }: { readonly by: string; readonly note: string | null }): Promise<FollowUp | null> {
    await this.database.query(sql.FINISH_FOLLOW_UP, [rowId(id), by, note]);
    return await this.followUp(id);
  }

  async followUp(id: string): Promise<(FollowUp & { readonly namespace: string | null }) | null> {
    const [row] = await this.database.query<FollowUpRow>(`${sql.FOLLOW_UPS} WHERE follow_up_id = $1`, [rowId(id)]);
    return row === undefined ? null : { ...followUpOf(row), namespace: row.namespace };
  }

  async followUps(filter: { readonly namespaces: readonly string[] | 'all'; readonly incidentId?: string; readonly done?: boolean }, page: Page): Promise<PageOf<FollowUp>> {
    const conditions = new Conditions()
      .add('namespace = ANY ($::text[])', filter.namespaces === 'all' ? null : filter.namespaces)
      .add('(done_ms IS NOT NULL) = $::boolean', filter.done)
      .add('incident_id = $', filter.incidentId === undefined ? undefined : rowId(filter.incidentId))
      .add('follow_up_id > $', numberAfter(page));
    const limit = conditions.param(onePast(page));
    const rows = await this.database.query<FollowUpRow>(`${sql.FOLLOW_UPS} ${conditions.where} ORDER BY follow_up_id LIMIT ${limit}`, conditions.values);
    return paged(rows, page, (row) => String(row.follow_up_id), followUpOf);
  }

  async unsignedOf(target: string): Promise<readonly string[]> {
    return (await this.database.query<{ id: number }>(sql.UNSIGNED, [target])).map(({ id }) => String(id));
  }

  async unsignedOfQueues(queues: readonly QueueName[]): Promise<readonly string[]> {
    return (await this.database.query<{ id: number }>(sql.UNSIGNED_OF_QUEUES, namesOf(queues).slice())).map(({ id }) => String(id));
  }

  async visibleOf(incidentIds: readonly string[], namespaces: readonly string[]): Promise<readonly string[]> {
    const rows = await this.database.query<{ id: number }>(sql.VISIBLE, [incidentIds.map(rowId), texts(namespaces)]);
    const visible = new Set(rows.map(({ id }) => String(id)));
    return incidentIds.filter((id) => visible.has(id));
  }

  /** Whether the statement wrote something, once the incident's row was held. */
  private async locked(incidentId: string, statement: string, values: readonly unknown[]): Promise<boolean> {
    return await this.database.transaction(async (tx) => {
      await tx.query(sql.LOCK, [rowId(incidentId)]);
      return (await tx.query(statement, [rowId(incidentId), ...values])).length > 0;
    });
  }
}

function followUpOf(row: FollowUpRow): FollowUp {
  const { kind, owner } = row;
  return {
    id: String(row.follow_up_id),
    incidentId: String(row.incident_id),
    ...{ kind, text: row.what, owner, addedBy: row.added_by, addedMs: row.added_ms },
    done: row.done_ms === null || row.done_by === null ? null : { by: row.done_by, atMs: row.done_ms, note: row.done_note },
  };
}
