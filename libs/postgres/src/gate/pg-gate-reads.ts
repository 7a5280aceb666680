import type { GateReads, QueueName } from '#libs/application';
import type { GateRow, GateRows, GateRunTimeRow, GateSeen, GateSpan } from '#libs/domain';
import { texts } from '../arrays.js';
import type { Queryable } from '../database.js';
import { namesOf } from '../outcomes/pg-outcome-store.js';
import * as sql from './statements.js';

interface SlotRow extends QueueName {
  readonly slot_ms: number;
  readonly kind: string;
  readonly revision: string;
  readonly track: string;
}

type CountsRow = SlotRow & Pick<GateRow, 'succeeded' | 'failed' | 'lost'> & { readonly dead_lettered: number };
type RunTimesRow = SlotRow & Pick<GateRunTimeRow, 'bucket' | 'count'>;

export class PgGateReads implements GateReads {
  constructor(private readonly database: Queryable) {}

  async nowMs(): Promise<number> {
    const [row] = await this.database.query<{ now_ms: number }>(sql.NOW);
    return row?.now_ms ?? 0;
  }

  async queues(namespaces: readonly string[] | 'all'): Promise<readonly QueueName[]> {
    return await this.database.query<QueueName>(sql.QUEUES, [namespaces === 'all' ? null : texts(namespaces)]);
  }

  async seen(queues: readonly QueueName[]): Promise<readonly GateSeen[]> {
    const rows = await this.database.query<{ revision: string; track: string; first_ms: number; last_ms: number }>(sql.SEEN, namesOf(queues).slice());
    return rows.map(({ revision, track, first_ms: firstMs, last_ms: lastMs }) => ({ revision, track, firstMs, lastMs }));
  }

  async rows(queues: readonly QueueName[], { fromMs, toMs, slotMs }: GateSpan): Promise<GateRows> {
    const values = [...namesOf(queues), fromMs, toMs, slotMs];
    const several = queues.length > 1;
    const [counts, runTimes] = await Promise.all([
      this.database.query<CountsRow>(sql.COUNTS, values),
      this.database.query<RunTimesRow>(sql.RUN_TIMES, values),
    ]);
    return {
      counts: counts.map((row) => ({
        ...cellOf(row, several),
        ...{ succeeded: row.succeeded, failed: row.failed, lost: row.lost, deadLettered: row.dead_lettered },
      })),
      runTimes: runTimes.map((row) => ({ ...cellOf(row, several), bucket: row.bucket, count: row.count })),
    };
  }
}

function cellOf({ namespace, queue, slot_ms, kind, revision, track }: SlotRow, several: boolean) {
  return { slotMs: slot_ms, kind: several ? `${namespace}/${queue} ${kind}` : kind, revision, track };
}
