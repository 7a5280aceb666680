import { RetryableError, type LaneMove } from '#libs/application';
import { ints, rowsOf } from '../arrays.js';

/**
 * By compare-and-set, in the order of the lanes. With a manual clock everything read counts up to where that stands,
 * and there are no gaps.
 */
export const MOVE_LANES = `
WITH wanted AS MATERIALIZED (
  SELECT w.* FROM ${rowsOf({ lane: 'smallint', seen: 'bigint', next: 'bigint', read_ms: 'bigint', gap_end_ms: 'bigint' })} AS w
  CROSS JOIN LATERAL (SELECT FROM jobwarden.lanes WHERE lane = w.lane AND next = w.seen AND stopped IS NULL AND holds FOR UPDATE) AS l)
UPDATE jobwarden.lanes l
SET next = w.next,
    sought = l.sought AND w.next = w.seen,
    read_ms = greatest(l.read_ms, CASE WHEN w.next = w.seen AND w.read_ms = 0 THEN 0
                                       WHEN i.clock_mode = 'manual' THEN i.clock_ms ELSE w.read_ms END),
    gap_end_ms = CASE WHEN i.clock_mode = 'manual' THEN l.gap_end_ms ELSE greatest(l.gap_end_ms, w.gap_end_ms) END
FROM wanted w, jobwarden.installation i WHERE l.lane = w.lane
RETURNING l.lane`;

/** As {@link MOVE_LANES} wants them. */
export function moveArrays(moves: readonly LaneMove[]): unknown[] {
  const sorted = [...moves].sort((a, b) => a.lane - b.lane);
  return (['lane', 'seen', 'next', 'readMs', 'gapEndMs'] as const).map((field) => ints(sorted.map((move) => move[field])));
}

interface Prepares {
  prepared<Row extends object>(name: string, text: string, values: readonly unknown[]): Promise<Row[]>;
}

/** One lane, within a transaction that must not commit when somebody else reads it. */
export async function moveLane(tx: Prepares, move: LaneMove): Promise<void> {
  const moved = await tx.prepared<{ lane: number }>('move_lanes', MOVE_LANES, moveArrays([move]));
  if (moved.length === 0) throw laneLost(move);
}

function laneLost({ lane, seen }: LaneMove): RetryableError {
  return new RetryableError(
    'lane_lost',
    `lane ${String(lane)} does not stand at ${String(seen)} any more: somebody else reads it, or it was stopped`,
  );
}
