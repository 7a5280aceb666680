import type { OutcomeStore, QueueName, QueueRates, RatesQuery, RevisionRates } from '#libs/application';
import { addCounts, noCounts, OUTCOMES, type OutcomeCounts, type OutcomeName } from '#libs/domain';
import { texts } from '../arrays.js';
import type { Queryable } from '../database.js';
import { OUTCOME_COLUMNS } from './outcome-cells.js';

export const SUMS = Object.entries(OUTCOME_COLUMNS)
  .map(([name, column]) => `sum(o.${column})::integer AS "${name}"`)
  .join(', ');

/** By queue along the primary key, or by time along the other index. */
const RATES = (where: string): string => `
SELECT q.namespace, q.queue, o.revision, o.track, min(o.slot_ms) AS first_ms, max(o.slot_ms) AS last_ms, ${SUMS}
FROM jobwarden.outcomes o JOIN jobwarden.queues q USING (queue_id)
WHERE o.slot_ms >= $1 AND o.slot_ms < $2 ${where}
GROUP BY q.namespace, q.queue, o.revision, o.track
ORDER BY q.namespace, q.queue, max(o.slot_ms) DESC, min(o.slot_ms) DESC, o.revision, o.track`;

const OF_ALL = RATES('');
const OF_SOME = RATES(`AND o.queue_id = ANY (
  SELECT n.queue_id FROM jobwarden.queues n WHERE (n.namespace, n.queue) IN (SELECT * FROM unnest($3::text[], $4::text[])))`);

type RatesRow = QueueName &
  OutcomeCounts & { readonly revision: string; readonly track: string; readonly first_ms: number; readonly last_ms: number };

export class PgOutcomeStore implements OutcomeStore {
  constructor(private readonly database: Queryable) {}

  async nowMs(): Promise<number> {
    const [row] = await this.database.query<{ now_ms: number }>('SELECT jobwarden.lane_now() AS now_ms');
    return row?.now_ms ?? 0;
  }

  async rates({ sinceMs, untilMs, queues }: RatesQuery): Promise<readonly QueueRates[]> {
    const rows =
      queues === undefined
        ? await this.database.query<RatesRow>(OF_ALL, [sinceMs, untilMs])
        : await this.database.query<RatesRow>(OF_SOME, [sinceMs, untilMs, ...namesOf(queues)]);
    const found: { namespace: string; queue: string; counts: Record<OutcomeName, number>; revisions: RevisionRates[] }[] = [];
    for (const row of rows) {
      let last = found.at(-1);
      if (last?.namespace !== row.namespace || last.queue !== row.queue) {
        found.push((last = { namespace: row.namespace, queue: row.queue, counts: noCounts(), revisions: [] }));
      }
      const counts = countsIn(row);
      addCounts(last.counts, counts);
      last.revisions.push({ revision: row.revision, track: row.track, counts, firstMs: row.first_ms, lastMs: row.last_ms });
    }
    return found;
  }
}

export function namesOf(queues: readonly QueueName[]): readonly [string, string] {
  return [texts(queues.map((q) => q.namespace)), texts(queues.map((q) => q.queue))];
}

export function countsIn(row: OutcomeCounts): OutcomeCounts {
  return Object.fromEntries(OUTCOMES.map((name) => [name, row[name]])) as unknown as OutcomeCounts;
}
