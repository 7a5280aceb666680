import type { ClaimedDelivery, DeliveryStore, MessageKind } from '#libs/application';
import type { JobStatus } from '#libs/domain';
import type { Database } from '../database.js';
import * as sql from './delivery-statements.js';

/** Deliveries on PostgreSQL: claimed by time, so nothing is locked while a receiver is slow. */
export class PgDeliveryStore implements DeliveryStore {
  constructor(private readonly database: Database) {}

  async claim(webhook: string, limit: number, claimMs: number): Promise<readonly ClaimedDelivery[]> {
    const rows = await this.database.prepared<ClaimRow>('delivery_claim', sql.CLAIM, [webhook, limit, claimMs]);
    return rows.map(({ key, lane_ms, status, attempt, ...row }) => ({
      ...row,
      keyHex: key,
      laneMs: lane_ms,
      job: status === null || attempt === null ? null : { status, attempt },
    }));
  }

  async finish(delivery: ClaimedDelivery): Promise<boolean> {
    return (await this.database.prepared('delivery_finish', sql.FINISH, mine(delivery))).length > 0;
  }

  async postpone(
    delivery: ClaimedDelivery,
    again: { readonly inMs: number; readonly detail: string | null; readonly counted: boolean },
  ): Promise<void> {
    const { inMs, detail, counted } = again;
    await this.database.prepared('delivery_postpone', sql.POSTPONE, [...mine(delivery), inMs, detail, counted]);
  }

  async park(delivery: ClaimedDelivery, detail: string): Promise<void> {
    await this.database.prepared('delivery_park', sql.PARK, [...mine(delivery), detail]);
  }
}

function mine({ webhook, shard, number, kind, claim }: ClaimedDelivery): unknown[] {
  return [webhook, shard, number, kind, claim];
}

interface ClaimRow {
  readonly webhook: string;
  readonly shard: number;
  readonly number: number;
  readonly kind: MessageKind;
  readonly key: string;
  readonly tries: number;
  readonly claim: string;
  readonly lane_ms: number;
  readonly message: string;
  readonly status: JobStatus | null;
  readonly attempt: number | null;
}
