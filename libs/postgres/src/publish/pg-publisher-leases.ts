import type { PublisherLeases, ShardLease } from '#libs/application';
import { knowsFoldVersion } from '#libs/domain';
import type { Database } from '../database.js';
import * as sql from './lease-statements.js';

/**
 * Shards and who publishes them.
 *
 *   free ── take (fence + 1) ──► held ── renew ──► held …      held ── release, or above the fair share ──► free
 *                                  └── lease ends ──► held by nobody alive ── take (fence + 1) ──► held by another
 *
 * The lease only says who may take a shard; what keeps two publishers apart is the fence, checked in each write under
 * the row's lock. So a clock that jumps costs latency, never order.
 */
export class PgPublisherLeases implements PublisherLeases {
  constructor(private readonly database: Database) {}

  async hold(replicaId: string, leaseMs: number): Promise<readonly ShardLease[]> {
    return await this.database.transaction(async (tx) => {
      // Who cannot read the newest rows would hold up a shard that another could publish.
      const [installed] = await tx.prepared<{ fold_version: number }>('publisher_fold', sql.IN_FORCE, []);
      if (installed === undefined || !knowsFoldVersion(installed.fold_version)) {
        await tx.prepared('publisher_release', sql.RELEASE, [replicaId]);
        return [];
      }
      await tx.prepared('publisher_enlist', sql.ENLIST, [replicaId, leaseMs]);
      await tx.prepared('publisher_renew', sql.RENEW, [replicaId, leaseMs]);
      const [now] = await tx.prepared<{ share: number; held: number }>('publisher_share', sql.SHARE, [replicaId]);
      const missing = (now?.share ?? 0) - (now?.held ?? 0);
      if (missing < 0) await tx.prepared('publisher_give_back', sql.GIVE_BACK, [replicaId, -missing]);
      if (missing > 0) await tx.prepared('publisher_take', sql.TAKE, [replicaId, leaseMs, missing]);
      return await tx.prepared<ShardLease>('publisher_held', sql.HELD, [replicaId]);
    });
  }

  async release(replicaId: string): Promise<void> {
    await this.database.query(sql.RELEASE, [replicaId]);
  }
}
