import { contrast, type Share } from '../cause/statistics.js';
import { betOn } from './bet.js';
import type { Block } from './blocks.js';
import { logRatio, logSum } from './conditional.js';
import type { GatePolicy } from './gate-policy.js';
import type { GateWindow } from './gate-window.js';
import { lineOf, metricOf, unknown, type Judged } from './metric.js';
import { divergence } from './not-worse.js';
import { runTimeBlocks } from './run-time-blocks.js';
import { PER_OCTAVE } from '../job/view/contribution.js';

const SLOWER_ODDS = [1.5, 2, 4, 10].map(Math.log);
const NOT_SLOWER_ODDS = [1.3, 1.8, 3, 10].map((odds) => -Math.log(odds));

export function judgeRunTimes(window: GateWindow, policy: GatePolicy): Judged {
  const line = lineOf('runTimes', window, policy);
  if (policy.runTimeFactor === null || window.runTimes.length === 0) return unknown('runTimes', line);
  const shift = Math.max(2, Math.floor(Math.log2(policy.runTimeFactor) * PER_OCTAVE));
  const { slower, notSlower } = runTimeBlocks(window.runTimes, shift);
  const bet = betOn({ series: slower, logOdds: SLOWER_ODDS, ...line });
  // Each quantile has to be told: the one that is told least counts.
  const notWorse = (kind: string | null) =>
    Math.min(...notSlower.map((blocks) => logNotSlower(kind === null ? blocks : blocks.filter((b) => b.kind === kind))));
  const growth = Math.min(...notSlower.map(growthOf));
  return metricOf({ name: 'runTimes', line, shares: sharesOf(slower[0] ?? []), bet, notWorse, growth });
}

function logNotSlower(blocks: readonly Block[]): number {
  const logs = NOT_SLOWER_ODDS.map(() => 0);
  for (const { canary, stable } of blocks) {
    for (const [i, ratio] of logRatio(canary, stable, NOT_SLOWER_ODDS).entries()) logs[i] = (logs[i] ?? 0) + ratio;
  }
  return logSum(logs) - Math.log(logs.length);
}

function sharesOf(median: readonly Block[]): { canary: number | null; stable: number | null; difference: number | null } {
  const [canary, stable] = [sumOf(median.map((b) => b.canary)), sumOf(median.map((b) => b.stable))];
  const met = contrast(median.map(({ canary: here, stable: there }) => ({ here, there })));
  return {
    canary: canary.all === 0 ? null : canary.of / canary.all,
    stable: stable.all === 0 ? null : stable.of / stable.all,
    difference: met?.difference ?? null,
  };
}

/** As long as nothing is known of how run times are spread: this many to tell would be 200. */
const USUAL_GROWTH = 0.02;

/** By what was seen so far. */
function growthOf(blocks: readonly Block[]): number {
  const [canary, stable] = [sumOf(blocks.map((b) => b.canary)), sumOf(blocks.map((b) => b.stable))];
  if (canary.all === 0 || stable.all === 0) return USUAL_GROWTH;
  const [here, there] = [canary.of / canary.all, stable.of / stable.all];
  if (here >= there) return USUAL_GROWTH;
  const both = (canary.of + stable.of) / (canary.all + stable.all);
  return divergence(here, both) + (stable.all / canary.all) * divergence(there, both);
}

function sumOf(shares: readonly Share[]): Share {
  const sum = { of: 0, all: 0 };
  for (const { of, all } of shares) {
    sum.of += of;
    sum.all += all;
  }
  return sum;
}
