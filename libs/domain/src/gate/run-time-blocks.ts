import { blocksOf, type Block } from './blocks.js';
import type { GateRunTimes } from './gate-window.js';
import { RUN_TIME_BUCKETS } from '../job/view/contribution.js';
import type { Share } from '../cause/statistics.js';

/** The quantiles of stable's run times by which the canary is told to be slower; and those that tell that it is not. */
export const SLOWER_AT = [0.5, 0.9, 0.99] as const;
export const NOT_SLOWER_AT = [0.5, 0.9] as const;

/** A quantile is believed from so many runs on. */
const FEWEST_RUNS = 20;
/** Buckets are 19 % wide: what lies on an edge may fall on either side of it, and is not slower for that. */
const EDGE = 1;

export interface RunTimeBlocks {
  /** Per quantile of {@link SLOWER_AT}: what took longer than stable used to, by more than a bucket for the canary. */
  readonly slower: readonly (readonly Block[])[];
  /** Per quantile of {@link NOT_SLOWER_AT}: what took as long as the quantile or longer; of the canary, `shift` buckets more. */
  readonly notSlower: readonly (readonly Block[])[];
}

/**
 * Run times as shares: how many took longer than a quantile of stable. The quantile is that of the blocks before, so that
 * no block has a say in what it is judged by. The first blocks of a kind, until stable has shown its quantiles, are for that.
 */
export function runTimeBlocks(cells: readonly GateRunTimes[], shift: number): RunTimeBlocks {
  const slower: Block[][] = SLOWER_AT.map(() => []);
  const notSlower: Block[][] = NOT_SLOWER_AT.map(() => []);
  const kinds = new Map<string, Histogram>();
  for (const block of blocksOf<GateRunTimes, Histogram>(cells, { none: emptyHistogram, add, size: (h) => h.all })) {
    let seen = kinds.get(block.kind);
    if (seen === undefined) kinds.set(block.kind, (seen = emptyHistogram()));
    if (seen.all >= FEWEST_RUNS) {
      for (const [i, q] of SLOWER_AT.entries()) {
        const bucket = quantileBucket(seen, q);
        slower[i]?.push({ ...block, canary: from(block.canary, bucket + EDGE + 1), stable: from(block.stable, bucket + 1) });
      }
      for (const [i, q] of NOT_SLOWER_AT.entries()) {
        const bucket = quantileBucket(seen, q);
        notSlower[i]?.push({ ...block, canary: from(block.canary, bucket + shift), stable: from(block.stable, bucket) });
      }
    }
    for (const [bucket, count] of block.stable.counts.entries()) add(seen, { bucket, count });
  }
  return { slower, notSlower };
}

interface Histogram {
  readonly counts: number[];
  all: number;
}

function emptyHistogram(): Histogram {
  return { counts: new Array<number>(RUN_TIME_BUCKETS).fill(0), all: 0 };
}

function add(sum: Histogram, { bucket, count }: Pick<GateRunTimes, 'bucket' | 'count'>): void {
  sum.counts[bucket] = (sum.counts[bucket] ?? 0) + count;
  sum.all += count;
}

function quantileBucket({ counts, all }: Histogram, q: number): number {
  const rank = Math.ceil(q * all);
  let seen = 0;
  for (let bucket = 0; bucket < counts.length; bucket += 1) {
    seen += counts[bucket] ?? 0;
    if (seen >= rank) return bucket;
  }
  return counts.length;
}

function from({ counts, all }: Histogram, least: number): Share {
  let of = 0;
  for (let bucket = least; bucket < counts.length; bucket += 1) of += counts[bucket] ?? 0;
  return { of, all };
}
