import type { StepGround } from '#libs/application';
import { ints } from '../arrays.js';
import type { Queryable } from '../database.js';
import { TOLD } from '../guards/blackout-statements.js';
import { rowId } from '../read/paging.js';

/** In the order of their ids, as whoever takes them up locks them. */
const SIGNALS = `
SELECT s.signal_id FROM jobwarden.signals s
WHERE s.signal_id = ANY ($1::bigint[]) AND s.resolved_ms IS NULL AND s.incident_id IS NULL AND s.settled IS NULL
ORDER BY s.signal_id FOR SHARE`;
const LANE = `SELECT lane FROM jobwarden.lanes WHERE name = $1 AND stopped IS NULL AND holds FOR SHARE`;

/** Whether it stands, to the end of the transaction. `queueId`: of what the incident is about. */
export async function stands(tx: Queryable, ground: StepGround, queueId: number | null): Promise<boolean> {
  return (await rowsOf(tx, ground, queueId)).length > 0;
}

async function rowsOf(tx: Queryable, ground: StepGround, queueId: number | null): Promise<readonly object[]> {
  switch (ground.rests) {
    case 'on-blackout':
      return await tx.prepared('blackout_told', TOLD, [queueId, ground.sinceMs]);
    case 'on-signals':
      return await tx.prepared('ground_signals', SIGNALS, [ints(ground.ids.map(rowId))]);
    case 'on-lane':
      return await tx.prepared('ground_lane', LANE, [ground.name]);
  }
}
