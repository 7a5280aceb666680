import type { Evidence } from '../assessment.js';
import { badOf, round, shareOf, sumOf, type WindowFigures } from '../figures.js';
import type { WindowCell } from '../window.js';

/** Jobs of its own done well before it turned bad, that make a release no new one any more. */
const DID_WELL = 30;

/** For so long, ms; and until the leases of those that died had run out. */
const A_WHILE_MS = 60_000;
const LEASE_MS = 60_000;

/** Times the usual: a release may do well until so much comes. */
const MORE_ARRIVES = 1.8;

/** What makes it unlikely that going back would help. `fills`: others beside it are free of what its workers fill up with, which takes its time. */
export function doubtsAbout(figures: WindowFigures, revision: string, onsetMs: number, fills: boolean): readonly Evidence[] {
  const { window } = figures;
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
  const lasts = onsetMs > firstMs + A_WHILE_MS + (figures.counts.lost > figures.counts.failed ? LEASE_MS : 0);
  if (!fills && lasts && well.all >= DID_WELL && shareOf(well) < 0.1) {
    doubts.push({ says: `Revision ${revision} did the same work well before.`, figures: { revision, ended: well.all, bad: well.of } });
  }
  return doubts;
}
