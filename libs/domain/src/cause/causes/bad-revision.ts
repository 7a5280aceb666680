import { nothingOf, type Evidence, type Finding } from '../assessment.js';
import { badOf, round, shareOf, sumOf, type WindowFigures } from '../figures.js';
import { contrast, wilson, type Contrast } from '../statistics.js';
import { withoutSuspects } from '../suspects.js';
import type { WindowCell } from '../window.js';
import { afterNothing } from './began-with.js';

/**
 * A release that fails at what another does well. For it: side by side, at the same time, on the same kinds of the same
 * queues, this one fails and the other does not; it is the newer one, and failed from its first jobs on. Without another
 * beside it: what failed began with its first jobs, and nothing else says why. Against it: all releases fail alike, it did
 * well for a while, it is as old as anything known, or few jobs are all that fails.
 */
export function badRevision(figures: WindowFigures): Finding {
  const accused = [...revisionsOf(figures)].map((revision) => judged(figures, revision)).sort((a, b) => b.confidence - a.confidence);
  return accused[0] ?? nothingOf('bad_revision');
}

/** `other` is many, and nobody can be sent back from no name. */
function revisionsOf({ recent }: WindowFigures): ReadonlySet<string> {
  return new Set(recent.map((c) => c.revision).filter((r) => r !== '' && r !== 'other'));
}

/** Bad attempts of different jobs that are worth a judgement. */
const FEWEST_BAD = 5;
const FEWEST_THERE = 10;
/** Above it, little doubt is left: nothing below leads to a rollback. */
const CAP_UNSURE = 0.6;

function judged(figures: WindowFigures, revision: string): Finding {
  const beside = besideOthers(figures, revision);
  const bad = badOf(sumOf(figures.recent.filter((c) => c.revision === revision && c.slotMs >= figures.onsetMs)));
  if (bad.of < FEWEST_BAD) return nothingOf('bad_revision');
  const compared = beside !== null && beside.there.all >= FEWEST_THERE && beside.here.all >= FEWEST_BAD;
  const finding = together(compared ? ofContrast(figures, revision, beside) : null, afterNothing(figures, revision), compared);
  if (finding === null) return nothingOf('bad_revision');
  const doubts = doubtsAbout(figures, revision);
  const explained = Math.min(1, bad.of / Math.max(1, figures.excess));
  const confidence = Math.min(finding.sure * explained, doubts.length > 0 ? CAP_UNSURE : 1);
  return { cause: 'bad_revision', subject: revision, confidence, evidence: [...finding.evidence, ...doubts] };
}

/**
 * What runs beside it says most. Where that was too short to be sure, as when workers die and their leases run out only once
 * the others are gone, that it began with the release says the rest; where nothing differs side by side, nothing does.
 */
function together(beside: Sureness | null, after: Sureness | null, compared: boolean): Sureness | null {
  if (beside === null) return compared ? null : after;
  if (after === null || beside.sure < LEAST_BESIDE) return beside;
  return { sure: Math.max(beside.sure, Math.min(0.95, 1 - (1 - beside.sure) * (1 - after.sure))), evidence: [...beside.evidence, ...after.evidence] };
}

/** A difference side by side that is worth the other evidence. */
const LEAST_BESIDE = 0.5;

export interface Sureness {
  readonly sure: number;
  readonly evidence: readonly Evidence[];
}

/** Too little: it differs, but not by as much as a release that has to go. */
const LEAST_DIFFERENCE = 0.1;

function ofContrast(figures: WindowFigures, revision: string, { z, low, here, there }: Contrast): Sureness | null {
  if (z < 2.5 || low <= 0) return null;
  const strong = z >= 4 && low >= LEAST_DIFFERENCE && wilson(there).low < 0.2;
  const others = shareOf(there);
  const sure = strong ? Math.min(0.98, 0.86 + 0.02 * (z - 4) + 0.1 * Math.min(1, low)) : 0.5;
  // Where the others fail as well, it is at most a part of it.
  const part = Math.max(0, 1 - 2 * Math.max(0, others - shareOf(figures.usual) - 0.05));
  return {
    sure: sure * part,
    evidence: [
      {
        says: `Revision ${revision} fails where other revisions succeed: at the same time, on the same kinds of the same queues.`,
        figures: { revision, bad: here.of, ended: here.all, othersBad: there.of, othersEnded: there.all, atLeastMore: round(low), deviations: round(z, 1) },
      },
    ],
  };
}

/** Lengths of time compared with themselves, ms. */
const STRATUM_MS = 30_000;

/**
 * Of the same queue and kind in the same half minute; without the few jobs that would fail anywhere. A lost lease is found
 * long after its attempt began, when those that it began with may be gone: it counts where it began.
 */
export function besideOthers({ recent, suspects, attempts }: WindowFigures, revision: string): Contrast | null {
  const strata = new Map<string, { readonly here: Counting; readonly there: Counting }>();
  const laterMs = medianOf(attempts.filter((a) => a.end === 'lost').flatMap((a) => a.runMs ?? []));
  const add = (cell: WindowCell, backMs: number, of: number, all: number): void => {
    if (all === 0) return;
    const key = `${cell.queue}\0${cell.kind}\0${String(Math.floor((cell.slotMs - backMs) / STRATUM_MS))}`;
    const stratum = strata.get(key) ?? { here: { of: 0, all: 0 }, there: { of: 0, all: 0 } };
    const side = cell.revision === revision ? stratum.here : stratum.there;
    side.of += of;
    side.all += all;
    strata.set(key, stratum);
  };
  for (const cell of withoutSuspects(recent, suspects)) {
    const { succeeded, failed, lost } = cell.counts;
    add(cell, 0, failed, succeeded + failed);
    add(cell, laterMs, lost, lost);
  }
  return contrast([...strata.values()]);
}

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

/** Jobs of its own done well before it turned bad, that make a release no new one any more. */
const DID_WELL = 30;

/** Times the usual: a release may do well until so much comes. */
const MORE_ARRIVES = 1.8;

/** What makes it unlikely that going back would help. */
function doubtsAbout(figures: WindowFigures, revision: string): readonly Evidence[] {
  const { window, onsetMs } = figures;
  const doubts: Evidence[] = [];
  const seen = window.revisions.filter((r) => r.revision === revision);
  const first = seen.map((r) => r.firstMs);
  if (first.some((ms) => ms === null)) {
    doubts.push({ says: `Revision ${revision} is as old as anything that is known here.`, figures: { revision } });
  }
  const others = window.revisions.filter((r) => r.revision !== revision && r.revision !== '' && seen.some((s) => s.queue === r.queue));
  const firstMs = Math.min(...first.map((ms) => ms ?? window.baselineFromMs));
  if (others.length > 0 && others.every((r) => (r.firstMs ?? 0) > firstMs)) {
    doubts.push({ says: `The other revisions are newer than ${revision}.`, figures: { revision } });
  }
  if (figures.usualArrivals !== null && figures.arrivals > MORE_ARRIVES * figures.usualArrivals) {
    doubts.push({ says: 'More arrives than usual, which may be what it fails of.', figures: { perMinute: round(figures.arrivals, 1), usualPerMinute: round(figures.usualArrivals, 1) } });
  }
  const own = (c: WindowCell) => c.revision === revision;
  const kinds = new Set(figures.recent.filter((c) => own(c) && c.slotMs >= onsetMs && c.counts.failed + c.counts.lost > 0).map((c) => `${c.queue}\0${c.kind}`));
  const well = badOf(sumOf(window.cells.filter((c) => own(c) && c.slotMs < onsetMs && kinds.has(`${c.queue}\0${c.kind}`))));
  if (well.all >= DID_WELL && shareOf(well) < 0.1) {
    doubts.push({ says: `Revision ${revision} did the same work well before.`, figures: { revision, ended: well.all, bad: well.of } });
  }
  return doubts;
}
