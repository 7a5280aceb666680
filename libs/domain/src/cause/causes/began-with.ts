import type { Sureness } from './bad-revision.js';
import { badOf, mostOf, round, shareOf, sumOf, type WindowFigures } from '../figures.js';
import { wilson } from '../statistics.js';

/** From a release's first job to the first failures, at most, for them to have begun with it; ms. */
const AT_ONCE_MS = 60_000;
/** A worker that dies with its jobs is found to be silent only when its lease has run out, ms. */
const LEASE_MS = 60_000;
const FEWEST_BEFORE = 30;

/**
 * Of a release that has nobody beside it: the one before it did the same kinds of work well, and it failed from its first
 * jobs on. A coincidence in time is weak evidence, so any other mark of what goes wrong speaks against it. null: it did not
 * begin with it.
 */
export function afterNothing(figures: WindowFigures, revision: string): Sureness | null {
  const { window, onsetMs, recent } = figures;
  const seen = window.revisions.filter((r) => r.revision === revision && r.firstMs !== null);
  if (seen.length === 0) return null;
  const firstMs = Math.min(...seen.map((r) => r.firstMs ?? 0));
  const silent = figures.counts.lost > figures.counts.failed;
  if (onsetMs < firstMs - AT_ONCE_MS / 6 || onsetMs > firstMs + AT_ONCE_MS + (silent ? LEASE_MS : 0)) return null;
  const own = recent.filter((c) => c.revision === revision && c.slotMs >= onsetMs);
  const kinds = new Set(own.map((c) => `${c.queue}\0${c.kind}`));
  const here = badOf(sumOf(own));
  const there = badOf(sumOf(window.cells.filter((c) => c.revision !== revision && c.slotMs < onsetMs && kinds.has(`${c.queue}\0${c.kind}`))));
  if (there.all < FEWEST_BEFORE || wilson(there).high > 0.15 || wilson(here).low < 0.3) return null;
  const marked = figures.attempts.filter((a) => a.mark !== 'none').length / Math.max(1, figures.attempts.length);
  return {
    sure: 0.7 * (1 - marked) * alike(figures),
    evidence: [
      {
        says: `What fails began with the first jobs of revision ${revision}, and the revision before it did the same kinds of work well.`,
        figures: { revision, bad: here.of, ended: here.all, badBefore: there.of, endedBefore: there.all, secondsAfterFirst: round((onsetMs - firstMs) / 1_000, 0), shareBad: round(shareOf(here)) },
      },
    ],
  };
}

/** A fault in a release fails in a few ways; errors of all sorts point at none. 1 where they are alike, or nobody told of any. */
function alike({ attempts }: WindowFigures): number {
  const told = attempts.filter((a) => a.end === 'failed').map((a) => `${a.class ?? ''} ${a.code ?? ''}`);
  const most = mostOf(told);
  return most === null || most.times >= ALIKE * told.length ? 1 : most.times / told.length;
}

const ALIKE = 0.6;
