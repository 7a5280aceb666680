import { randomUUID } from 'node:crypto';
import {
  JobChange,
  LANE_INSIDE,
  ShardPublisher,
  type Failpoint,
  type LogStore,
  type MessageKind,
  type MessageSink,
  type PolicySource,
  type PublishLimits,
  type ShardLease,
  type WebhookEndpoint,
} from '#libs/application';
import { jobKeyHex } from '#libs/contracts';
import type { DecisionDraft } from '#libs/domain';
import { fixedPolicies, World } from '#libs/testing';
import { PgOutboundStore } from './pg-outbound-store.js';
import { PgPublisherLeases } from './pg-publisher-leases.js';

export interface OutboundRow {
  readonly shard: number;
  readonly number: number;
  readonly kind: MessageKind;
  readonly outcome: string;
  readonly place: number | null;
  readonly detail: string | null;
  readonly job: string;
  readonly message: { readonly id: string; readonly data: Readonly<Record<string, unknown>> };
}

export interface ReplicaOptions {
  readonly failpoint?: Failpoint;
  readonly sinks?: readonly MessageSink[];
  readonly webhooks?: readonly WebhookEndpoint[];
  readonly limits?: PublishLimits;
  readonly policies?: PolicySource;
}

/** What a process that publishes is made of, without its loops: a test says when it looks. */
export class Replica {
  readonly id = randomUUID();
  readonly store: PgOutboundStore;
  readonly leases: PgPublisherLeases;
  readonly shards: ShardPublisher;

  constructor(world: World, { failpoint, sinks = [], webhooks = [], limits = {}, policies }: ReplicaOptions = {}) {
    this.store = new PgOutboundStore(world.database);
    this.leases = new PgPublisherLeases(world.database);
    const parts = { store: this.store, webhooks: { list: () => webhooks }, observer: {}, sinks, ...(policies !== undefined && { policies }) };
    this.shards = new ShardPublisher({ ...parts, ...(failpoint !== undefined && { failpoint }) }, limits);
  }

  async hold(): Promise<readonly ShardLease[]> {
    return await this.leases.hold(this.id, 60_000);
  }

  /** Publishes all that its shards have. */
  async publish(): Promise<void> {
    await this.hold();
    for (const { lease, entries, retries, incidents } of await this.store.work(this.id)) {
      if (incidents) await this.shards.incidents.drain(lease, () => true);
      if (retries) await this.shards.retryParked(lease);
      if (entries) await this.shards.drain(lease, () => true);
    }
  }
}

export class PublishingWorld extends World {
  constructor(url: string) {
    super(url, fixedPolicies());
  }

  /** A job whose first attempt is lost: `queued`, `started`, and the decision to run it again. */
  async requeued(id: string, queued: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.send({ type: 'queued', job: id, ...queued }, { type: 'started', job: id, worker: { id: 'w1' } });
    await this.decide(id, REQUEUED);
  }

  async decide(id: string, ...drafts: readonly DecisionDraft[]): Promise<void> {
    await this.decideBy(this.log, id, drafts);
  }

  async decideBy(log: LogStore, id: string, drafts: readonly DecisionDraft[]): Promise<void> {
    const ref = { namespace: 'default', queue: 'q', id };
    const keyHex = jobKeyHex(ref);
    await log.transact(
      {
        jobs: [{ ref, keyHex, eventKeys: [] }],
        lane: LANE_INSIDE,
        locked: 'wait',
        missing: 'ignore',
        lockLeases: true,
      },
      (batch) => {
        const job = batch.jobs.get(keyHex);
        if (job === undefined) throw new Error(`job ${id} is unknown`);
        const change = new JobChange(job, batch, this.policies);
        for (const draft of drafts) change.decide(draft);
        return { writes: [change.finish()], result: () => undefined };
      },
    );
  }

  /** In the order of the log within each shard. */
  async outbound(job?: string): Promise<readonly OutboundRow[]> {
    return await this.database.query<OutboundRow>(
      `SELECT o.shard, o.number, o.kind, o.outcome, o.place, o.detail, j.job_id AS job, o.message::json AS message
       FROM jobwarden.outbound o JOIN jobwarden.jobs j USING (job_key)
       WHERE $1::text IS NULL OR j.job_id = $1
       ORDER BY o.shard, o.number, CASE o.kind WHEN 'invalidation' THEN 0 ELSE 1 END`,
      [job ?? null],
    );
  }

  /** These holders of shards have died, and their leases have ended. Without a name: all. */
  async endLeases(holder?: string): Promise<void> {
    const of = holder ?? null;
    await this.database.query('UPDATE jobwarden.publishers SET until_ms = 1 WHERE $1::uuid IS NULL OR holder = $1', [
      of,
    ]);
    await this.database.query(
      'UPDATE jobwarden.publisher_replicas SET until_ms = 1 WHERE $1::uuid IS NULL OR replica_id = $1',
      [of],
    );
  }

  /** By holder: shards. */
  async held(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.database.query<{ holder: string; count: number }>(
      `SELECT coalesce(holder::text, 'nobody') AS holder, count(*) AS count FROM jobwarden.publishers GROUP BY 1`,
    );
    return Object.fromEntries(rows.map((r) => [r.holder, r.count]));
  }

  async setActions(enabled: boolean): Promise<void> {
    await this.database.query('UPDATE jobwarden.installation SET actions_enabled = $1', [enabled]);
  }
}

/** The decision that grants a second attempt. */
export const REQUEUED: DecisionDraft = {
  kind: 'requeued',
  attempt: 2,
  token: 2,
  reason: 'lost',
  by: 'jobwarden',
  previousWorker: { id: 'w1' },
};
export const REPUBLISHED: DecisionDraft = {
  kind: 'republished',
  attempt: 2,
  token: 2,
  reason: 'start_by',
  by: 'jobwarden',
};

/** What a test throws where a process would have been killed. */
export class Killed extends Error {}
