import { NoPermit } from '#libs/application';
import { ints } from '../arrays.js';
import type { Connection } from '../database.js';

/** Of a throttled queue: what has come back since, up to a second's worth and at least one. */
export const PERMITS = `
least(greatest(1, per_second), permits + per_second * greatest(0, jobwarden.lane_now() - permits_ms) / 1000)`;
const TAKE = `
UPDATE jobwarden.queue_gates
SET permits = CASE gate WHEN 'throttled' THEN ${PERMITS} - 1 ELSE permits END, permits_ms = greatest(permits_ms, jobwarden.lane_now())
WHERE queue_id = $1 AND (gate = 'open' OR (gate = 'throttled' AND ${PERMITS} >= 1))`;

const PAUSED = `SELECT queue_id FROM jobwarden.queue_gates WHERE queue_id = ANY ($1::integer[]) AND gate = 'paused'`;

/** Those of the queues that are paused by this statement. */
export async function readPaused(tx: Connection, queueIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await tx.prepared<{ queue_id: number }>('gates_paused', PAUSED, [ints(queueIds)]);
  return new Set(rows.map((row) => row.queue_id));
}

/** Takes one, and holds it to the commit: who comes second sees what is left. An open queue needs none. @throws NoPermit */
export async function takePermit(tx: Connection, queueId: number): Promise<void> {
  if ((await tx.changed('gate_take', TAKE, [queueId])) === 0) throw new NoPermit('no permit of the throttled queue is left');
}
