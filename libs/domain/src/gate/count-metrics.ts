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

const COUNTED = ['failures', 'lost', 'deadLetters'] as const satisfies readonly GateMetricName[];
type Counted = (typeof COUNTED)[number];

/** What counts as bad, of what ended. */
const BAD: Readonly<Record<Counted, (c: GateCounts) => number>> = {
  failures: (c) => c.failed + c.lost,
  lost: (c) => c.lost,
  deadLetters: (c) => c.deadLettered,
};

export function endedOf({ succeeded, failed, lost }: GateCounts): number {
  return succeeded + failed + lost;
}

interface Ended {
  failures: number;
  lost: number;
  deadLetters: number;
  all: number;
}

export function judgeCounts(window: GateWindow, policy: GatePolicy): readonly Judged[] {
  const blocks = blocksOf<GateCounts, Ended>(window.counts, {
    none: () => ({ failures: 0, lost: 0, deadLetters: 0, all: 0 }),
    add: (sum, cell) => {
      for (const name of COUNTED) sum[name] += BAD[name](cell);
      sum.all += endedOf(cell);
    },
    size: ({ all }) => all,
  });
  return COUNTED.map((name) => judged(name, blocks.map((b) => ({ ...b, canary: shareIn(b.canary, name), stable: shareIn(b.stable, name) })), window, policy));
}

/** A dead letter may be told later than the end that it came of. */
function shareIn(ended: Ended, name: Counted): Share {
  return { of: Math.min(ended[name], ended.all), all: ended.all };
}

function judged(name: Counted, blocks: readonly Block[], window: GateWindow, policy: GatePolicy): Judged {
  const line = lineOf(name, window, policy);
  const bet = betOn({ series: [blocks], logOdds: WORSE_ODDS, ...line });
  const notWorse = (kind: string | null) => logNotWorse(kind === null ? blocks : blocks.filter((b) => b.kind === kind), policy.margin);
  const met = contrast(blocks.map(({ canary, stable }) => ({ here: canary, there: stable })));
  const [canary, stable] = [sumOf(blocks, 'canary'), sumOf(blocks, 'stable')];
  const shares = { canary: shareOf(canary), stable: shareOf(stable), difference: met?.difference ?? null };
  const growth = growthPerCanary((stable.of + 0.4) / (stable.all + 20), policy.margin, canary.all === 0 ? 9 : stable.all / canary.all);
  return metricOf({ name, line, shares, bet, notWorse, growth });
}

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
