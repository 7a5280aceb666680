import type { QueueStateReport, QueueStateStore } from '#libs/application';
import { bools, ints } from '../arrays.js';
import type { Database } from '../database.js';
import type { QueueIds } from './queue-ids.js';

const PUT = `
INSERT INTO jobwarden.queue_states AS s (queue_id, waiting, oldest_age_ms, paused, reported_ms)
SELECT u.queue_id, u.waiting, u.oldest_age_ms, CASE WHEN u.says_paused THEN u.paused END, jobwarden.lane_now()
FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::boolean[], $5::boolean[])
  AS u (queue_id, waiting, oldest_age_ms, says_paused, paused)
ORDER BY u.queue_id
ON CONFLICT (queue_id) DO UPDATE
SET waiting = excluded.waiting, oldest_age_ms = excluded.oldest_age_ms, paused = excluded.paused,
    reported_ms = excluded.reported_ms`;

export class PgQueueStateStore implements QueueStateStore {
  constructor(
    private readonly database: Database,
    private readonly queueIds: QueueIds,
  ) {}

  async put(states: readonly QueueStateReport[]): Promise<void> {
    const ids = await this.queueIds.of(states);
    // Of several reports of one queue in a batch the last one counts.
    const newest = new Map(states.map((s) => [ids.get(`${s.namespace}\0${s.queue}`) ?? 0, s]));
    const rows = [...newest];
    await this.database.prepared('queue_states_put', PUT, [
      ints(rows.map(([id]) => id)),
      ints(rows.map(([, s]) => s.waiting)),
      ints(rows.map(([, s]) => s.oldestAgeMs)),
      bools(rows.map(([, s]) => s.paused !== null)),
      bools(rows.map(([, s]) => s.paused ?? false)),
    ]);
  }
}
