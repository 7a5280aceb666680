import type { Evidence } from '../assessment.js';
import { round, type WindowFigures } from '../figures.js';
import { fillOf, isFull, usualFill } from '../heaps.js';
import { chanceOf } from '../statistics.js';
import type { WorkerSample, WorkerSeen } from '../window.js';

/** What ails workers of one release while those of others are free of it. */
export interface Confined {
  /** That chance alone had put it on these, 0 to 1. */
  readonly chance: number;
  /** Others were there at the same time; otherwise before it only. */
  readonly beside: boolean;
  readonly evidence: Evidence;
}

/** Workers of other releases that must have told of it. */
const FEWEST_OTHERS = 2;
/** So long after it began the others lived on, ms: who had gone by then tells nothing. */
const TOGETHER_MS = 30_000;
const HALF_FULL = 0.5;

const waits = (s: WorkerSample): boolean => (s.poolWaiting ?? 0) > 0;

function sinceOf({ samples }: WorkerSeen, ails: (sample: WorkerSample) => boolean): number | null {
  return samples.find(ails)?.atMs ?? null;
}

/**
 * An exhaustion inside of the workers' own processes, of their heap or their pool, that is confined to one release: what is
 * shared by all, a database or the kind of jobs, would ail the others as well. null: it is at others too, or nobody tells.
 */
export function confinedTo(figures: WindowFigures, revision: string): Confined | null {
  const usual = usualFill(figures.window);
  const heaps = compared(figures, revision, {
    tells: (w) => w.samples.some((s) => fillOf(s) !== null),
    ails: (w) => (isFull(w, usual) ? sinceOf(w, (s) => (fillOf(s) ?? 0) >= HALF_FULL) : null),
    says: (where) => `The heaps of revision ${revision}’s workers fill up, and ${where} does not.`,
  });
  const pools = compared(figures, revision, {
    tells: (w) => w.samples.some((s) => s.poolWaiting !== null),
    ails: (w) => (w.samples.filter(waits).length >= 2 ? sinceOf(w, waits) : null),
    says: (where) => `Callers wait for connections of the pools of revision ${revision}’s workers, and in ${where} nobody does.`,
  });
  if (heaps === null || pools === null) return heaps ?? pools;
  return pools.chance < heaps.chance ? pools : heaps;
}

interface Ailment {
  readonly tells: (worker: WorkerSeen) => boolean;
  /** Since when, ms; null: it does not. */
  readonly ails: (worker: WorkerSeen) => number | null;
  readonly says: (where: string) => string;
}

function compared({ window }: WindowFigures, revision: string, { tells, ails, says }: Ailment): Confined | null {
  const telling = window.workers.filter(tells);
  const own = telling.filter((w) => w.revision === revision);
  const since = own.flatMap((w) => ails(w) ?? []);
  const others = telling.filter((w) => w.revision !== revision && w.revision !== '');
  if (since.length < 2 || others.some((w) => ails(w) !== null)) return null;
  const together = others.filter((w) => w.lastMs >= Math.min(...since) + TOGETHER_MS);
  const beside = together.length >= FEWEST_OTHERS;
  const there = beside ? together : others;
  if (there.length < FEWEST_OTHERS) return null;
  const chance = chanceOf({ here: { of: since.length, all: own.length }, there: { of: 0, all: there.length } });
  const figures = { revision, workers: since.length, ofWorkers: own.length, others: there.length, chance: round(chance, 4) };
  return { chance, beside, evidence: { says: says(beside ? 'those of others beside them' : 'those before them'), figures } };
}
