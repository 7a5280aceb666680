import type { PolicySource } from '#libs/application';
import { decisionCode } from '#libs/domain';
import { World, type TestDatabase, type TestEvent } from '#libs/testing';

export const T0 = 1_700_000_000_000;

/** Jobs that workers hold, on a real database and with a clock of our own. Times are ms since {@link T0}. */
export class Fleet {
  readonly world: World;
  nowMs = 0;

  constructor(database: TestDatabase, policies: PolicySource) {
    this.world = new World(database.url, policies);
  }

  async begin(): Promise<void> {
    await this.world.startClock(T0);
  }

  async at(ms: number): Promise<void> {
    this.nowMs = ms;
    await this.world.at(T0 + ms);
  }

  /** `jobs` of each worker, started now. */
  async hold(workers: readonly string[], jobs = 1, queue = 'q', prefix = ''): Promise<void> {
    const events = workers.flatMap((id) =>
      Array.from({ length: jobs }, (_, i): TestEvent[] => {
        const job = `${prefix}${id}-${String(i)}`;
        return [
          { type: 'queued', job, queue },
          { type: 'started', job, queue, worker: { id }, leaseMs: 30_000 },
        ];
      }).flat(),
    );
    for (let i = 0; i < events.length; i += 1_000) await this.world.send(...events.slice(i, i + 1_000));
  }

  async beat(workers: readonly string[], jobs = 1, queue = 'q'): Promise<void> {
    for (const id of workers) {
      const beats = Array.from({ length: jobs }, (_, i): TestEvent => ({ type: 'heartbeat', job: `${id}-${String(i)}`, queue, worker: { id } }));
      await this.world.send(...beats);
    }
  }

  /** Each beats for its one job, and tells its release. */
  async tell(workers: readonly string[], revision: string, queue = 'q'): Promise<void> {
    const beats = workers.map((id): TestEvent => ({ type: 'jobwarden.worker.heartbeat.v1', job: id, worker: { id, revision }, jobs: [{ queue, id: `${id}-0`, leaseMs: 30_000 }] }));
    await this.world.send(...beats);
  }

  /** Looks until nothing more is due; answers at how many jobs. */
  async settle(): Promise<number> {
    for (let all = 0; ; ) {
      const { looked } = await this.world.run();
      if (looked === 0) return all;
      all += looked;
    }
  }

  async settleAt(ms: number): Promise<number> {
    await this.at(ms);
    return await this.settle();
  }

  /** Jobs by status, and by what holds them where something does. */
  async standing(queue = 'q'): Promise<Readonly<Record<string, number>>> {
    const rows = await this.world.database.query<{ standing: string; jobs: number }>(
      `SELECT concat_ws(' ', j.status, '(' || j.held_by || ')') AS standing, count(*) AS jobs
       FROM jobwarden.jobs j JOIN jobwarden.queues q USING (queue_id) WHERE q.queue = $1 GROUP BY 1 ORDER BY 1`,
      [queue],
    );
    return Object.fromEntries(rows.map((r) => [r.standing, r.jobs]));
  }

  /** When each requeue was granted, ms, in order. */
  async requeuedMs(): Promise<readonly number[]> {
    const rows = await this.world.database.query<{ ms: number }>(
      `SELECT lane_ms - $1 AS ms FROM jobwarden.events WHERE type = $2 ORDER BY 1`,
      [T0, decisionCode('requeued')],
    );
    return rows.map((r) => r.ms);
  }

  async incidents(): Promise<readonly { readonly status: string; readonly queue: string; readonly summary: string; readonly steps: number }[]> {
    return await this.world.database.query(
      `SELECT i.status, q.queue, i.summary, count(s.*)::int AS steps FROM jobwarden.incidents i
       JOIN jobwarden.queues q USING (queue_id) JOIN jobwarden.incident_steps s USING (incident_id)
       WHERE i.kind = 'blackout' GROUP BY i.incident_id, q.queue ORDER BY i.incident_id`,
    );
  }

  async close(): Promise<void> {
    await this.world.close();
  }
}

export function named(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${String(i + 1)}`);
}
