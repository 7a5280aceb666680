import type { PositionCheck } from '#libs/application';
import type { Connection } from '../database.js';
import * as sql from './statements.js';

/** Numbers counted at a time. */
const NUMBERS_PER_READ = 200_000;

interface ShardRow {
  readonly number: number;
  readonly last: number;
  readonly whole: boolean;
}

/** Numbers are unique by an index only within a period, and a counter may have been set back: so they are counted. */
export async function checkPositions(
  tx: Connection,
  shard: number,
  onRead?: (share: number) => void,
): Promise<PositionCheck> {
  const [found] = await tx.query<ShardRow>(sql.SHARD, [shard]);
  const { number: counter, last, whole } = found ?? { number: 0, last: 0, whole: true };
  let entries = 0;
  let distinct = 0;
  for (let from = 0; from < last; from += NUMBERS_PER_READ) {
    const [row] = await tx.query<{ entries: number; numbers: number }>(sql.NUMBERS, [
      shard,
      from,
      from + NUMBERS_PER_READ,
    ]);
    entries += row?.entries ?? 0;
    distinct += row?.numbers ?? 0;
    onRead?.(Math.min(1, (from + NUMBERS_PER_READ) / last));
  }
  const [ahead] = await tx.query<{ entries: number }>(sql.BEYOND, [shard, counter]);
  const beyond = ahead?.entries ?? 0;
  return {
    shard,
    counter,
    entries,
    duplicates: entries - distinct,
    beyond,
    missing: whole ? Math.max(0, counter - distinct) : null,
  };
}
