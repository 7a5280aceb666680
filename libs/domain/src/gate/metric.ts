import { evenly, mostlyAtFirst, type Bet, type BetResult } from './bet.js';
import type { GatePolicy } from './gate-policy.js';
import type { GateWindow } from './gate-window.js';
import { logPriceOf, slidesOf } from './slides.js';
import type { GateMetric, GateMetricName, GateTest } from './verdict.js';

/** The chance of a false alarm, shared out over what is judged. They sum up to 1. */
const SHARE_OF_ALPHA: Readonly<Record<GateMetricName, number>> = { failures: 0.5, runTimes: 0.25, lost: 0.125, deadLetters: 0.125 };

/** Starts of a bet lie so far apart, ms; longer where the window is long. */
const SPACING_MS = 300_000;
const MOST_STARTS = 12;

export interface Line extends Pick<Bet, 'fromMs' | 'spacingMs' | 'stakeOf'> {
  /** Logarithms of what a bet must be worth. */
  readonly worseAt: number;
  readonly notWorseAt: number;
}

/**
 * Where a metric is told. What is said of the whole must be true of every part, so the alarm is shared out and `not-worse`
 * is not: all of them are needed for it. A window that no longer reaches back to the beginning bets anew, and pays for it.
 */
export function lineOf(name: GateMetricName, window: GateWindow, { alpha, windowMs }: GatePolicy): Line {
  const slides = slidesOf(window, windowMs);
  const price = logPriceOf(slides);
  return {
    fromMs: window.fromMs,
    spacingMs: Math.max(SPACING_MS, windowMs / MOST_STARTS),
    stakeOf: slides === 0 ? mostlyAtFirst : evenly(MOST_STARTS),
    worseAt: -Math.log(alpha * SHARE_OF_ALPHA[name]) - price,
    notWorseAt: -Math.log(alpha) - price,
  };
}

/** A metric, and how many more of the canary would tell that it is not worse. */
export interface Judged {
  readonly metric: GateMetric;
  readonly needed: number;
}

/** More is said as that many. */
const MOST_NEEDED = 1_000_000;
const LEAST_GROWTH = 1e-9;

export interface MetricParts {
  readonly name: GateMetricName;
  readonly line: Line;
  readonly shares: Pick<GateMetric, 'canary' | 'stable' | 'difference'>;
  readonly bet: BetResult;
  /** What the bet on "not worse" is worth, a logarithm; of one kind, or of all. */
  readonly notWorse: (kind: string | null) => number;
  /** What one more of the canary adds to it. */
  readonly growth: number;
}

/**
 * What is worse by less than the margin is told to be both, and stands as not worse: on the whole, and with each kind that
 * is told to be worse on its own, or a kind of which there is little could be broken altogether.
 */
export function metricOf({ name, line, shares, bet, notWorse, growth }: MetricParts): Judged {
  const worth = notWorse(null);
  const good = worth >= line.notWorseAt;
  const told = bet.most >= line.worseAt;
  const kinds = told ? [...bet.kinds].filter(([kind, own]) => own >= line.worseAt && notWorse(kind) < line.notWorseAt).map(([kind]) => kind) : [];
  const bad = told && (!good || kinds.length > 0);
  const state = bad ? 'worse' : good ? 'not-worse' : 'open';
  const left = Math.max(0, line.notWorseAt - worth);
  return {
    metric: {
      name,
      state,
      ...shares,
      kind: bet.kinds.size > 1 && kinds.length === 1 ? (kinds[0] ?? null) : null,
      worse: testOf(bet.most, line.worseAt),
      notWorse: testOf(worth, line.notWorseAt),
    },
    needed: state === 'open' ? Math.max(1, Math.min(MOST_NEEDED, Math.ceil(left / Math.max(growth, LEAST_GROWTH)))) : 0,
  };
}

/** Nobody tells of it, or nobody asks: nothing is waited for. */
export function unknown(name: GateMetricName, line: Line): Judged {
  const none = { canary: null, stable: null, difference: null, kind: null };
  return {
    metric: { name, state: 'unknown', ...none, worse: testOf(0, line.worseAt), notWorse: testOf(0, line.notWorseAt) },
    needed: 0,
  };
}

function testOf(worth: number, line: number): GateTest {
  return { chance: chanceOf(worth), tellsAt: Math.exp(-line) };
}

/** No smaller chance is told than one in a million millions. */
const LEAST_CHANCE = 1e-12;

function chanceOf(log: number): number {
  return Math.min(1, Math.max(LEAST_CHANCE, Math.exp(-log)));
}
