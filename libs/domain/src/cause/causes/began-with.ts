import type { Sureness } from './bad-revision.js';
import { badOf, mostOf, onsetOf, round, shareOf, sumOf, type WindowFigures } from '../figures.js';
import { wilson } from '../statistics.js';
import type { WindowCell } from '../window.js';
import { outlived } from './race.js';

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
  const { window, recent } = figures;
  const seen = window.revisions.filter((r) => r.revision === revision && r.firstMs !== null);
  if (seen.length === 0) return null;
  const firstMs = Math.min(...seen.map((r) => r.firstMs ?? 0));
  const kinds = failingKinds(figures, revision);
  const silent = diesOf(figures);
  const onsetMs = begunMs(figures, kinds, silent);
  if (onsetMs < firstMs - AT_ONCE_MS / 6 || onsetMs > firstMs + AT_ONCE_MS + (silent ? LEASE_MS : 0)) return null;
  const own = recent.filter((c) => c.revision === revision && c.slotMs >= onsetMs && kinds.has(kindOf(c)));
  const here = badOf(sumOf(own));
  const there = badOf(sumOf(window.cells.filter((c) => c.revision !== revision && c.slotMs < onsetMs && kinds.has(kindOf(c)))));
  if (there.all < FEWEST_BEFORE || wilson(there).high > 0.15) return null;
  const [low, before] = [wilson(here).low, wilson(there).high];
  if (low < LEAST_SHARE || low < TIMES_BEFORE * before) return null;
  return {
    sure: (low >= MUCH ? 0.7 : 0.62) * (1 - elsewhere(figures)) * (silent ? 1 : alike(figures)),
    evidence: [
      {
        says: `What fails began with the first jobs of revision ${revision}, and the revision before it did the same kinds of work well.`,
        figures: { revision, bad: here.of, ended: here.all, badBefore: there.of, endedBefore: there.all, secondsAfterFirst: round((onsetMs - firstMs) / 1_000, 0), shareBad: round(shareOf(here)) },
      },
    ],
  };
}

/** Share that fails now, with 95 % confidence, for it to be more than before. */
const LEAST_SHARE = 0.05;
const MUCH = 0.3;
const TIMES_BEFORE = 1.5;

const kindOf = ({ queue, kind }: WindowCell): string => `${queue}\0${kind}`;

/** Of what the release does, the kinds that fail about as much as the worst of them: a fault may lie in one of several. */
function failingKinds({ recent }: WindowFigures, revision: string): ReadonlySet<string> {
  const shares = new Map<string, { of: number; all: number }>();
  for (const cell of recent) {
    if (cell.revision !== revision) continue;
    const [sum, { of, all }] = [shares.get(kindOf(cell)) ?? { of: 0, all: 0 }, badOf(cell.counts)];
    shares.set(kindOf(cell), { of: sum.of + of, all: sum.all + all });
  }
  const most = Math.max(0, ...[...shares.values()].map((share) => wilson(share).low));
  return new Set([...shares].filter(([, share]) => wilson(share).high >= most).map(([kind]) => kind));
}

/** Is it leases that are lost beyond the usual, rather than attempts that fail? */
function diesOf({ counts, before, usual, bad }: WindowFigures): boolean {
  return counts.lost > Math.max(0, counts.failed - (before.failed / Math.max(1, usual.all)) * bad.all);
}

/** When it began, in those kinds; of leases, failures beside them are noise. */
function begunMs({ window, recent, before, usual }: WindowFigures, kinds: ReadonlySet<string>, silent: boolean): number {
  const own = recent.filter((c) => kinds.has(kindOf(c)));
  if (!silent) return onsetOf(window, own, shareOf(usual));
  const lost = own.map((c) => ({ ...c, counts: { ...c.counts, failed: 0, succeeded: c.counts.succeeded + c.counts.failed } }));
  return onsetOf(window, lost, before.lost / Math.max(1, usual.all));
}

/** How much of it points at what a release does not do by itself; its own memory and pool it may fill, or they were full. */
function elsewhere(figures: WindowFigures): number {
  if (outlived(figures)) return 1;
  const weights = figures.attempts.map((a): number => (pointsElsewhere(a) ? 1 : a.mark === 'memory' || a.mark === 'connection' ? 0.5 : 0));
  return weights.reduce((a, b) => a + b, 0) / Math.max(1, weights.length);
}

/** Of the database itself: who gets no connection of its own pool may have lost them. */
const DATABASE_FULL = /too many|remaining connection slots|\b(?:53300|1040)\b|CON_COUNT/iu;

/** What a release does not do by itself. Memory, its own pool and slowness it may bring along. */
function pointsElsewhere({ mark, code, message }: WindowFigures['attempts'][number]): boolean {
  if (mark === 'connection') return DATABASE_FULL.test(`${code ?? ''} ${message ?? ''}`);
  return mark !== 'none' && mark !== 'timeout' && mark !== 'memory';
}

/** A fault in a release fails in a few ways; errors of all sorts point at none. 1 where they are alike, or nobody told of any. */
function alike({ attempts }: WindowFigures): number {
  const told = attempts.filter((a) => a.end === 'failed').map((a) => `${a.class ?? ''} ${a.code ?? ''}`);
  const most = mostOf(told);
  return most === null || most.times >= ALIKE * told.length ? 1 : most.times / told.length;
}

const ALIKE = 0.6;
