import { randomUUID } from 'node:crypto';
import { JobChange, LANE_INSIDE, ShardPublisher, type Failpoint, type MessageSink, type PublishObserver } from '#libs/application';
import { jobKey } from '#libs/contracts';
import type { DecisionDraft } from '#libs/domain';
import { PgOutboundStore, PgPublisherLeases, PgPublishingReport } from '#libs/postgres';
import { fixedPolicies, World } from '#libs/testing';

export const REPUBLISHED: DecisionDraft = { kind: 'republished', attempt: 2, token: 2, reason: 'start_by', by: 'jobwarden' };

export interface Row {
  readonly kind: string;
  readonly outcome: string;
  readonly detail: string | null;
  readonly id: string;
}

/** A database with jobs that have something to say. */
export class SinkWorld extends World {
  readonly report = new PgPublishingReport(this.database);

  constructor(url: string) {
    super(url, fixedPolicies());
  }

  /** `queued`, `started`, and the decision to run it a second time. */
  async requeued(id: string, queued: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.send({ type: 'queued', job: id, ...queued }, { type: 'started', job: id, worker: { id: 'w1' } });
    await this.requeue(id, 2);
  }

  async requeue(id: string, attempt: number): Promise<void> {
    await this.decide(id, { kind: 'requeued', attempt, token: attempt, reason: 'lost', by: 'jobwarden' });
  }

  async decide(id: string, draft: DecisionDraft): Promise<void> {
    const ref = { namespace: 'default', queue: 'q', id };
    const keyHex = jobKey(ref).toString('hex');
    const jobs = [{ ref, keyHex, eventKeys: [] }];
    const lock = { locked: 'wait', missing: 'ignore', lockLeases: true } as const;
    await this.log.transact({ jobs, lane: LANE_INSIDE, ...lock }, (batch) => {
      const job = batch.jobs.get(keyHex);
      if (job === undefined) throw new Error(`job ${id} is unknown`);
      const change = new JobChange(job, batch, this.policies);
      change.decide(draft);
      return { writes: [change.finish()], result: () => undefined };
    });
  }

  /** The outbound table's rows of a job, an entry's invalidation before its command. */
  async rows(job: string): Promise<readonly Row[]> {
    return await this.database.query<Row>(
      `SELECT o.kind, o.outcome, o.detail, o.message::json ->> 'id' AS id
       FROM jobwarden.outbound o JOIN jobwarden.jobs j USING (job_key)
       WHERE j.job_id = $1 ORDER BY o.number, o.kind <> 'invalidation'`,
      [job],
    );
  }

  /** Ids in the order in which the streams tell them. */
  async told(job: string): Promise<readonly string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT o.message::json ->> 'id' AS id FROM jobwarden.outbound o JOIN jobwarden.jobs j USING (job_key)
       WHERE j.job_id = $1 AND o.place IS NOT NULL ORDER BY o.place`,
      [job],
    );
    return rows.map((row) => row.id);
  }

  /** Every holder of a shard has died, and its leases have ended. */
  async endLeases(): Promise<void> {
    await this.database.query('UPDATE jobwarden.publishers SET until_ms = 1');
    await this.database.query('UPDATE jobwarden.publisher_replicas SET until_ms = 1');
  }
}

/** What a process that publishes is made of, without its loops: a test says when it looks. */
export class SinkReplica {
  readonly id = randomUUID();
  readonly store: PgOutboundStore;
  readonly leases: PgPublisherLeases;
  readonly shards: ShardPublisher;
  readonly parked: string[] = [];

  constructor(world: World, sink: MessageSink, failpoint?: Failpoint) {
    this.store = new PgOutboundStore(world.database);
    this.leases = new PgPublisherLeases(world.database);
    const observer: PublishObserver = { parked: (_kind, why) => this.parked.push(why) };
    const parts = { store: this.store, webhooks: { list: () => [] }, observer, sinks: [sink] };
    this.shards = new ShardPublisher({ ...parts, ...(failpoint !== undefined && { failpoint }) });
  }

  /** All that its shards have. Answers what went wrong, by shard at most once: it comes again with the next call. */
  async publish(): Promise<readonly unknown[]> {
    const errors: unknown[] = [];
    this.shards.keep(await this.leases.hold(this.id, 60_000));
    for (const { lease, entries, retries } of await this.store.work(this.id)) {
      try {
        if (retries) await this.shards.retryParked(lease);
        if (entries) await this.shards.drain(lease, () => true);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }
}
