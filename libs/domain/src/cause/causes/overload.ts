import { nothingOf, type Evidence, type Finding } from '../assessment.js';
import { round, shareOf, sumOf, type WindowFigures } from '../figures.js';
import { markedAs } from './marked.js';

/**
 * More comes than can be done. For it: more arrives than usual, as much as usual is done, the rest waits, takes too long,
 * or is lost by workers that no longer come to beat. Against it: as much arrives as ever.
 */
export function overload(figures: WindowFigures): Finding {
  const { arrivals, usualArrivals, counts, window, bad, usual } = figures;
  if (usualArrivals === null || usualArrivals <= 0) return nothingOf('overload');
  const rise = arrivals / usualArrivals;
  if (rise < LEAST_RISE || doesLess(figures)) return nothingOf('overload');
  const slow = markedAs(figures, ['timeout'], 'What fails took too long.');
  const lostShare = counts.lost / Math.max(1, counts.failed + counts.lost);
  const lag = lagOf(figures);
  const waits = counts.queued - counts.succeeded - counts.deadLettered;
  // As long as what is done is done well, there is nothing else to explain.
  const share = shareOf(bad) <= Math.max(2 * shareOf(usual), WELL) ? 1 : Math.min(1, (slow?.share ?? 0) + lostShare);
  const evidence: Evidence[] = [
    {
      says: 'More arrives than usual.',
      figures: {
        perMinute: round(arrivals, 1),
        usualPerMinute: round(usualArrivals, 1),
        times: round(rise, 1),
        moreWaiting: Math.max(0, waits),
        ...(window.queues.some((q) => q.waiting !== null) && { waiting: window.queues.reduce((s, q) => s + (q.waiting ?? 0), 0) }),
      },
    },
  ];
  if (slow !== null) evidence.push(slow.evidence);
  if (lag > 0) evidence.push({ says: 'Workers’ event loops lag.', figures: { longestLagMs: round(lag, 0) } });
  const sure = 0.6 + Math.min(0.25, 0.12 * (rise - 1)) + (lag >= LONG_LAG_MS ? 0.1 : 0);
  return { cause: 'overload', subject: null, confidence: share * Math.min(0.95, sure), evidence };
}

/** As much as comes now was done well a while ago, and hardly anything is done any more: it is the work that takes longer. */
function doesLess({ window, before, recent }: WindowFigures): boolean {
  const minute = (ago: number) => sumOf(recent.filter((c) => c.slotMs >= window.toMs - (ago + 1) * LATELY_MS && c.slotMs < window.toMs - ago * LATELY_MS));
  const now = minute(0);
  const usual = (before.succeeded * LATELY_MS) / Math.max(1, window.fromMs - window.baselineFromMs);
  if (now.succeeded + now.failed + now.lost >= COLLAPSED * usual) return false;
  const most = Math.max(...[1, 2, 3, 4].map((ago) => minute(ago).succeeded));
  return most >= ABOUT * Math.max(now.queued, minute(1).queued);
}

const ABOUT = 0.9;
const LATELY_MS = 60_000;
const COLLAPSED = 0.3;

const LEAST_RISE = 1.4;
/** Share that fails wherever much is done. */
const WELL = 0.05;
const LONG_LAG_MS = 200;

function lagOf({ window, onsetMs }: WindowFigures): number {
  return Math.max(0, ...window.workers.flatMap((w) => w.samples.filter((s) => s.atMs >= onsetMs).map((s) => s.loopLagMs ?? 0)));
}
