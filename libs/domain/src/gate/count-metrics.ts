import { contrast, type Share } from '../cause/statistics.js';
import { betOn } from './bet.js';
import { blocksOf, type Block } from './blocks.js';
import type { GatePolicy } from './gate-policy.js';
import type { GateCounts, GateWindow } from './gate-window.js';
import { growthPerCanary, logNotWorse } from './not-worse.js';
import { lineOf, metricOf, type Judged } from './metric.js';
import type { GateMetricName } from './verdict.js';

/** How many times the odds of stable those of the canary might be: half again as high up to thirty times. */
const WORSE_ODDS = [1.5, 2, 3, 5, 10, 30].map(Math.log);

/** What counts as bad, of what ended. */
const BAD: Readonly<Record<Exclude<GateMetricName, 'runTimes'>, (c: GateCounts) => number>> = {
  failures: (c) => c.failed + c.lost,
  lost: (c) => c.lost,
  deadLetters: (c) => c.deadLettered,
};

export function endedOf({ succeeded, failed, lost }: GateCounts): number {
  return succeeded + failed + lost;
}

export function judgeCounts(name: keyof typeof BAD, window: GateWindow, policy: GatePolicy): Judged {
  const blocks = blocksOf<GateCounts, Sum>(window.counts, {
    none: () => ({ of: 0, all: 0 }),
    add: (sum, cell) => {
      sum.all += endedOf(cell);
      sum.of += BAD[name](cell);
    },
    size: ({ all }) => all,
  }).map((block) => ({ ...block, canary: capped(block.canary), stable: capped(block.stable) }));
  const line = lineOf(name, window, policy);
  const bet = betOn({ series: [blocks], logOdds: WORSE_ODDS, ...line });
  const notWorse = (kind: string | null) => logNotWorse(kind === null ? blocks : blocks.filter((b) => b.kind === kind), policy.margin);
  const met = contrast(blocks.map(({ canary, stable }) => ({ here: canary, there: stable })));
  const [canary, stable] = [sumOf(blocks, 'canary'), sumOf(blocks, 'stable')];
  const shares = { canary: shareOf(canary), stable: shareOf(stable), difference: met?.difference ?? null };
  const growth = growthPerCanary((stable.of + 0.4) / (stable.all + 20), policy.margin, canary.all === 0 ? 9 : stable.all / canary.all);
  return metricOf({ name, line, shares, bet, notWorse, growth });
}

/** A dead letter may be told later than the end that it came of. */
function capped({ of, all }: Share): Share {
  return { of: Math.min(of, all), all };
}

type Sum = { -readonly [K in keyof Share]: Share[K] };

function sumOf(blocks: readonly Block[], side: 'canary' | 'stable'): Share {
  const sum = { of: 0, all: 0 };
  for (const block of blocks) {
    sum.of += block[side].of;
    sum.all += block[side].all;
  }
  return sum;
}

export function shareOf({ of, all }: Share): number | null {
  return all === 0 ? null : of / all;
}
