import {
  RetryableError,
  type OutboundStore,
  type OutboundTransaction,
  type OutgoingEntry,
  type OutgoingStep,
  type ShardLease,
  type ShardWork,
} from '#libs/application';
import type { Database } from '../database.js';
import {
  entryOf,
  outgoingStepOf,
  workOf,
  type EntryRow,
  type OutgoingStepRow,
  type WorkRow,
} from './outbound-rows.js';
import * as sql from './outbound-statements.js';
import { PgOutboundTransaction } from './pg-outbound-transaction.js';

/** Publishing on PostgreSQL. Locks are taken in one order: the shard's publisher row, then job rows by key. */
export class PgOutboundStore implements OutboundStore {
  constructor(private readonly database: Database) {}

  async work(replicaId: string): Promise<readonly ShardWork[]> {
    const rows = await this.database.prepared<WorkRow>('publish_work', sql.WORK, [replicaId]);
    return rows.map(workOf);
  }

  async next(shard: number, after: number, limit: number): Promise<readonly OutgoingEntry[]> {
    const rows = await this.database.prepared<EntryRow>('publish_next', sql.NEXT, [shard, after, limit]);
    return rows.map(entryOf);
  }

  async retries(shard: number, limit: number): Promise<readonly OutgoingEntry[]> {
    const rows = await this.database.prepared<EntryRow>('publish_retries', sql.RETRIES, [shard, limit]);
    return rows.map(entryOf);
  }

  async incidentSteps(shard: number, after: number, limit: number): Promise<readonly OutgoingStep[]> {
    const values = [shard, after, limit];
    const rows = await this.database.prepared<OutgoingStepRow>('publish_incidents', sql.INCIDENT_STEPS, values);
    return rows.map(outgoingStepOf);
  }

  async transact<T>(lease: ShardLease, work: (tx: OutboundTransaction) => Promise<T>): Promise<T> {
    return await this.database.transaction(async (tx) => {
      const { shard, holder, fence } = lease;
      const [row] = await tx.prepared<{ sent: number; actions_enabled: boolean }>('publish_fence', sql.FENCE, [
        shard,
        holder,
        fence,
      ]);
      if (row === undefined) throw leaseLost(shard);
      return await work(new PgOutboundTransaction(tx, shard, { sent: row.sent, actionsEnabled: row.actions_enabled }));
    });
  }

  async checkpoint({ shard, holder, fence }: ShardLease, number: number): Promise<void> {
    const moved = await this.database.prepared('publish_checkpoint', sql.CHECKPOINT, [shard, holder, fence, number]);
    if (moved.length === 0) throw leaseLost(shard);
  }

  async incidentCheckpoint({ shard, holder, fence }: ShardLease, number: number): Promise<void> {
    const values = [shard, holder, fence, number];
    const moved = await this.database.prepared('publish_incident_checkpoint', sql.INCIDENT_CHECKPOINT, values);
    if (moved.length === 0) throw leaseLost(shard);
  }
}

function leaseLost(shard: number): RetryableError {
  return new RetryableError('lease_lost', `shard ${String(shard)} is published by another replica by now`);
}
