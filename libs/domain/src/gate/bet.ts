import type { Block } from './blocks.js';
import { logRatio, logSum } from './conditional.js';

/**
 * A bet against "the canary is no worse": what it is worth is a test martingale, so by Ville's inequality the chance that
 * it is ever worth 1/α, however often one looks and whenever one stops, is at most α where the canary is no worse.
 *
 * Its shares are spread beforehand over what is not known: since when it goes wrong (a canary may begin well), with which
 * kind, and by how much. What is spread loses the logarithm of the number of shares, and finds what it was not told.
 *
 * Sources: Turner, Ly & Grünwald, "Generic E-variables for exact sequential k-sample tests that allow for optional
 * stopping" (Journal of Statistical Planning and Inference, 2024) for blocks of two samples; Shafer, "Testing by betting"
 * (JRSS A, 2021) for the bet; Shin, Ramdas & Rinaldo, "E-detectors" (NEJSDS, 2023) for starts that are spread over time.
 */
export interface Bet {
  /** Of each series its blocks, in order of time; series share the bet evenly. */
  readonly series: readonly (readonly Block[])[];
  /** Logarithms of how many times the odds of stable those of the canary might be; all above 0. */
  readonly logOdds: readonly number[];
  /** Where the window begins. */
  readonly fromMs: number;
  /** Starts lie so far apart, ms. */
  readonly spacingMs: number;
  /** Logarithm of what a start may spend, by its number; they sum up to at most 1. */
  readonly stakeOf: (start: number) => number;
}

export interface BetResult {
  /** log of the most that the bet was ever worth. */
  readonly most: number;
  /** The same of what was staked on each kind alone. */
  readonly kinds: ReadonlyMap<string, number>;
}

/** Kinds that have a share of their own, in the order in which they were first seen. */
const MOST_KINDS = 8;

export function betOn({ series, logOdds, fromMs, spacingMs, stakeOf }: Bet): BetResult {
  const shares = series.flatMap((blocks) => sharesOf(blocks, -Math.log(series.length)));
  const steps = series.flatMap((blocks) => blocks.map((block) => ({ block, start: Math.max(0, Math.floor((block.beganMs - fromMs) / spacingMs)) })));
  steps.sort((a, b) => a.block.endMs - b.block.endMs);
  const takers = takersOf(shares);
  const starts = [...new Set(steps.map((s) => s.start))].sort((a, b) => a - b);
  const stakes = shares.map(() => starts.map((start) => ({ start, log: stakeOf(start) - Math.log(logOdds.length), begun: false, logs: logOdds.map(() => 0) })));
  let most = 0;
  const kinds = new Map(shares.flatMap(({ kind }): [string, number][] => (kind === null ? [] : [[kind, 0]])));
  let changed = false;
  for (const [i, { block, start: own }] of steps.entries()) {
    const ratio = tells(block) ? logRatio(block.canary, block.stable, logOdds) : NOTHING;
    if (ratio.length > 0) changed = true;
    for (const at of takers.get(block) ?? []) for (const stake of stakes[at] ?? []) take(stake, own, ratio);
    if (!changed || steps[i + 1]?.block.endMs === block.endMs) continue;
    changed = false;
    const each = shares.map((share, n) => share.weight + worthOf(stakes[n] ?? []));
    most = Math.max(most, logSum(each));
    for (const [kind, worth] of byKind(shares, each)) kinds.set(kind, Math.max(worth, kinds.get(kind) ?? 0));
  }
  return { most, kinds };
}

const NOTHING: readonly number[] = [];

/** Where all went well, or all wrong, nothing tells the sides apart. */
function tells({ canary, stable }: Block): boolean {
  const bad = canary.of + stable.of;
  return bad > 0 && bad < canary.all + stable.all;
}

interface Stake {
  readonly start: number;
  /** Logarithm of what is staked on each of the odds. */
  readonly log: number;
  begun: boolean;
  readonly logs: number[];
}

/** Whoever began to bet before this block takes part in it. */
function take(stake: Stake, blockStart: number, ratio: readonly number[]): void {
  if (stake.start > blockStart) return;
  stake.begun = true;
  for (let g = 0; g < ratio.length; g += 1) stake.logs[g] = (stake.logs[g] ?? 0) + (ratio[g] ?? 0);
}

/** What was not begun is not counted: it is worth what was staked at least, so that only hides a little. */
function worthOf(stakes: readonly Stake[]): number {
  return logSum(stakes.flatMap(({ begun, log, logs }) => (begun ? logs.map((l) => l + log) : [])));
}

function takersOf(shares: readonly BetShare[]): ReadonlyMap<Block, readonly number[]> {
  const takers = new Map<Block, number[]>();
  for (const [at, { blocks }] of shares.entries()) {
    for (const block of blocks) {
      const own = takers.get(block);
      if (own === undefined) takers.set(block, [at]);
      else own.push(at);
    }
  }
  return takers;
}

interface BetShare {
  /** Its logarithm. */
  readonly weight: number;
  /** null: all kinds together. */
  readonly kind: string | null;
  readonly blocks: readonly Block[];
}

/** Half on all kinds together, the other half on each alone. */
function sharesOf(blocks: readonly Block[], weight: number): readonly BetShare[] {
  const kinds = [...new Set(blocks.map((b) => b.kind))].slice(0, MOST_KINDS);
  return [
    { weight: weight + Math.log(0.5), kind: null, blocks },
    ...kinds.map((kind, i) => ({
      weight: weight + Math.log(0.5 / ((i + 1) * (i + 2))),
      kind,
      blocks: blocks.filter((b) => b.kind === kind),
    })),
  ];
}

/** Half is kept for the first start, the rest falls with its number: most canaries are bad from the beginning, if they are. */
export function mostlyAtFirst(start: number): number {
  return Math.log(start === 0 ? 0.5 : 0.5 / (start * (start + 1)));
}

/** As much for each of so many starts: what was well until a window slid may go wrong at any time in it. */
export function evenly(starts: number): (start: number) => number {
  return (start) => (start < starts ? -Math.log(starts) : -Infinity);
}

function byKind(shares: readonly BetShare[], each: readonly number[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [i, { kind }] of shares.entries()) if (kind !== null) sums.set(kind, logSum([sums.get(kind) ?? -Infinity, each[i] ?? -Infinity]));
  return sums;
}
