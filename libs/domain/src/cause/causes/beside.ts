import type { WindowFigures } from '../figures.js';
import { contrast, type Contrast } from '../statistics.js';
import { withoutSuspects } from '../suspects.js';
import type { WindowCell } from '../window.js';
import { poisonJob } from './poison-job.js';

/** Lengths of time compared with themselves, ms. */
const STRATUM_MS = 30_000;

/** What is counted against a release: all that went wrong, or its lost leases alone, beside which failures are noise. */
export type Against = 'bad' | 'lost';

/**
 * Of the same queue and kind in the same half minute; without the few jobs that would fail anywhere. A lost lease is found
 * long after its attempt began, when those that it began with may be gone: it counts where it began. Nobody knows whose the
 * workers without a revision are; where others name theirs, they are no side. null: nobody ran beside it.
 */
export function besideOthers(figures: WindowFigures, revision: string, against: Against = 'bad'): Beside | null {
  const { recent, attempts } = figures;
  const strata = new Map<string, { readonly at: number; readonly here: Counting; readonly there: Counting }>();
  const laterMs = medianOf(attempts.filter((a) => a.end === 'lost').flatMap((a) => a.runMs ?? []));
  const add = (cell: WindowCell, backMs: number, of: number, all: number): void => {
    if (all === 0) return;
    const at = Math.floor((cell.slotMs - backMs) / STRATUM_MS);
    const key = `${cell.queue}\0${cell.kind}\0${String(at)}`;
    const stratum = strata.get(key) ?? { at, here: { of: 0, all: 0 }, there: { of: 0, all: 0 } };
    const side = cell.revision === revision ? stratum.here : stratum.there;
    side.of += of;
    side.all += all;
    strata.set(key, stratum);
  };
  const named = recent.some((c) => c.revision !== revision && c.revision !== '');
  for (const cell of withoutPoison(figures)) {
    if (named && cell.revision === '') continue;
    const { succeeded, failed, lost } = cell.counts;
    add(cell, 0, against === 'bad' ? failed : 0, succeeded + failed);
    add(cell, laterMs, lost, lost);
  }
  const all = [...strata.values()];
  const found = contrast(all);
  if (found === null) return null;
  const times = new Set(all.map(({ at }) => at));
  return { ...found, leastZ: Math.min(...[...times].map((time) => contrast(all.filter(({ at }) => at !== time))?.z ?? 0)) };
}

export interface Beside extends Contrast {
  /** {@link Contrast.z} without the half minute that says most: a fault elsewhere may begin just as one takes over from the other. */
  readonly leastZ: number;
}

/** Without the few jobs that would fail anywhere, and what they took with them; as long as they are much of what goes wrong. */
export function withoutPoison(figures: WindowFigures): readonly WindowCell[] {
  return poisonJob(figures).confidence >= LEAST_POISON ? withoutSuspects(figures.recent, figures.suspects) : figures.recent;
}

const LEAST_POISON = 0.4;

interface Counting {
  of: number;
  all: number;
}

/** Longer leases than that say nothing of when it began, ms. */
const LONGEST_SHIFT_MS = 300_000;

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.min(LONGEST_SHIFT_MS, sorted[Math.floor(sorted.length / 2)] ?? 0);
}
