import type { IncidentFilter, IncidentReads, IncidentRow, ListedRun, Page, PageOf, StoredIncident } from '#libs/application';
import type { Queryable } from '../database.js';
import { incidentRowOf, openIncidentOf, stepOf, type ListedRow, type StepRow, type StoredRow } from '../incidents/rows.js';
import * as sql from '../incidents/statements.js';
import { Conditions, numberAfter, onePast, paged, rowId } from './paging.js';

/** Incidents as reports show them. Ids rise with time: a page goes on below the last one. */
export class PgIncidentReads implements IncidentReads {
  constructor(private readonly database: Queryable) {}

  async list({ namespaces, seenBy = 'all', status, kind, cause, queue }: IncidentFilter, page: Page): Promise<PageOf<IncidentRow>> {
    const conditions = new Conditions().add('i.status = $', status).add('i.kind = $', kind).add(`${sql.CAUSE} = $`, cause).add('i.incident_id < $', numberAfter(page));
    const about: string[] = [];
    if (namespaces !== 'all') about.push(`n.namespace = ANY (${conditions.param(namespaces)}::text[])`);
    if (queue !== undefined) about.push(`n.queue = ${conditions.param(queue)}`);
    if (about.length > 0) conditions.having(sql.isAbout(about.join(' AND ')));
    if (seenBy !== 'all') conditions.having(sql.onlyAbout(`n.namespace = ANY (${conditions.param(seenBy)}::text[])`));
    const limit = conditions.param(onePast(page));
    const text = `${sql.LIST} ${conditions.where} ORDER BY i.incident_id DESC LIMIT ${limit}`;
    const rows = await this.database.query<ListedRow>(text, conditions.values);
    return paged(rows, page, (row) => String(row.id), incidentRowOf);
  }

  async one(id: string): Promise<StoredIncident | null> {
    const incidentId = rowId(id);
    if (incidentId === null) return null;
    const [row] = await this.database.query<StoredRow>(sql.ONE, [incidentId]);
    if (row === undefined) return null;
    const steps = await this.database.query<StepRow>(sql.STEPS, [incidentId]);
    return { ...openIncidentOf(row), steps: steps.map(stepOf) };
  }

  async runsOf(ids: readonly string[]): Promise<ReadonlyMap<string, ListedRun>> {
    if (ids.length === 0) return new Map();
    const of = [ids.map(Number)];
    const [steps, queues] = await Promise.all([
      this.database.query<StepRow & { readonly id: number }>(sql.STEPS_OF, of),
      this.database.query<{ readonly id: number; readonly namespace: string; readonly queue: string; readonly many: number }>(sql.QUEUES_OF_RUNS, of),
    ]);
    const stepsOf = Map.groupBy(steps, ({ id }) => String(id));
    const queuesOf = Map.groupBy(queues, ({ id }) => String(id));
    return new Map(
      [...stepsOf].map(([id, rows]) => {
        const named = queuesOf.get(id) ?? [];
        return [id, { steps: rows.map(stepOf), queues: named.map(({ namespace, queue }) => ({ namespace, queue })), queueCount: named[0]?.many ?? 0 }];
      }),
    );
  }
}
