import type { QueueName, QueueRates, RatesQuery, SaturationLook, SaturationStore, StoredSaturation, ToldSignal } from '#libs/application';
import type { SaturationStanding } from '#libs/domain';
import { ints } from '../arrays.js';
import type { Database, Queryable } from '../database.js';
import { namesOf, PgOutcomeStore } from '../outcomes/pg-outcome-store.js';
import { WAITING_OF } from '../read/waiting.js';
import { PgSignalStore } from './pg-signal-store.js';

const NAMED = `unnest($1::text[], $2::text[]) AS n (namespace, queue) JOIN jobwarden.queues q USING (namespace, queue)`;

/** Held to the end of the transaction: whoever comes meanwhile goes away without a row. */
const TURN = `
UPDATE jobwarden.saturations SET looked_ms = jobwarden.lane_now()
WHERE queue_id = (SELECT queue_id FROM jobwarden.saturations
                  WHERE queue_id = 0 AND abs(jobwarden.lane_now() - looked_ms) >= $1 FOR UPDATE SKIP LOCKED)
RETURNING looked_ms AS now_ms`;

const STANDING = `
SELECT q.namespace, q.queue, s.looked_ms, s.over_ms, s.firing_ms, s.recovering_ms
FROM jobwarden.saturations s JOIN jobwarden.queues q USING (queue_id)`;

const UNPROCESSED = `SELECT * FROM (SELECT q.namespace, q.queue, ${WAITING_OF} AS waiting FROM ${NAMED}) AS w WHERE waiting IS NOT NULL`;

const KEEP = `
INSERT INTO jobwarden.saturations AS s (queue_id, looked_ms, over_ms, firing_ms, recovering_ms)
SELECT q.queue_id, $3, n.over_ms, n.firing_ms, n.recovering_ms
FROM unnest($1::text[], $2::text[], $4::bigint[], $5::bigint[], $6::bigint[]) AS n (namespace, queue, over_ms, firing_ms, recovering_ms)
JOIN jobwarden.queues q USING (namespace, queue)
ON CONFLICT (queue_id) DO UPDATE
SET looked_ms = excluded.looked_ms, over_ms = excluded.over_ms, firing_ms = excluded.firing_ms, recovering_ms = excluded.recovering_ms`;

const FORGET = `DELETE FROM jobwarden.saturations WHERE queue_id <> 0 AND looked_ms <> $1`;

const FED = `
UPDATE jobwarden.queues SET fed = true
WHERE queue_id IN (SELECT q.queue_id FROM ${NAMED} WHERE NOT q.fed ORDER BY q.queue_id FOR UPDATE OF q)`;

interface StoredStanding extends QueueName {
  readonly looked_ms: number;
  readonly over_ms: number | null;
  readonly firing_ms: number | null;
  readonly recovering_ms: number | null;
}

export class PgSaturationStore implements SaturationStore {
  constructor(private readonly database: Database) {}

  async look<T>(everyMs: number, work: (look: SaturationLook) => Promise<T>): Promise<T | null> {
    return await this.database.transaction(async (tx) => {
      const [turn] = await tx.query<{ now_ms: number }>(TURN, [everyMs]);
      return turn === undefined ? null : await work(new Look(tx, turn.now_ms));
    });
  }
}

class Look implements SaturationLook {
  private readonly outcomes: PgOutcomeStore;
  private readonly signals: PgSignalStore;

  constructor(
    private readonly tx: Queryable,
    readonly nowMs: number,
  ) {
    this.outcomes = new PgOutcomeStore(tx);
    this.signals = new PgSignalStore(tx);
  }

  async rates(query: RatesQuery): Promise<readonly QueueRates[]> {
    return await this.outcomes.rates(query);
  }

  async tell(told: readonly ToldSignal[]) {
    return await this.signals.tell(told);
  }

  async expire(silentMs: number): Promise<number> {
    return await this.signals.expire(silentMs);
  }

  async standing(): Promise<readonly StoredSaturation[]> {
    const rows = await this.tx.query<StoredStanding>(STANDING);
    return rows.map(({ namespace, queue, looked_ms, over_ms, firing_ms, recovering_ms }) => ({
      ...{ namespace, queue, lookedMs: looked_ms },
      standing: { overSinceMs: over_ms, firingSinceMs: firing_ms, recoveringSinceMs: recovering_ms },
    }));
  }

  async unprocessed(queues: readonly QueueName[]): Promise<readonly (QueueName & { readonly waiting: number })[]> {
    return await this.tx.query(UNPROCESSED, namesOf(queues));
  }

  async keep(standing: readonly (QueueName & { readonly standing: SaturationStanding })[]): Promise<void> {
    if (standing.length > 0) {
      const column = (of: (one: SaturationStanding) => number | null) => ints(standing.map((one) => of(one.standing)));
      const times = [column((one) => one.overSinceMs), column((one) => one.firingSinceMs), column((one) => one.recoveringSinceMs)];
      await this.tx.query(KEEP, [...namesOf(standing), this.nowMs, ...times]);
    }
    await this.tx.query(FORGET, [this.nowMs]);
  }

  async fed(queues: readonly QueueName[]): Promise<void> {
    await this.tx.query(FED, namesOf(queues));
  }
}
