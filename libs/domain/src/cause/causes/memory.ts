import { nothingOf, type Evidence, type Finding } from '../assessment.js';
import { round, type WindowFigures } from '../figures.js';
import { FULL, fillOf, isFull, usualFill } from '../heaps.js';
import { slope } from '../statistics.js';
import type { CauseWindow, WorkerSeen } from '../window.js';
import { markedAs } from './marked.js';

/**
 * Workers that run out of memory. For it: their heap stood near its limit when they fell silent, and they lost their
 * leases; or errors say so. A leak climbs over many samples, an exhaustion does not. Against it: those that fell silent had
 * room, or those near the limit go on.
 */
export function memory(figures: WindowFigures): Finding {
  const marked = markedAs(figures, ['memory'], 'Errors say that memory ran out.');
  const silent = silentWorkers(figures);
  const full = silent.filter((w) => isFull(w, usualFill(figures.window)));
  const few = full.length < FEWEST_FULL && full.length < silent.length;
  const near = nearLimit(figures);
  const ofSilent = few || silent.length === 0 ? 0 : Math.max(full.length / silent.length, full.length >= 2 * FEWEST_FULL ? 0.95 : 0);
  const ofLost = Math.max(ofSilent, near >= FEWEST_NEAR ? 0.8 : 0, jumped(figures.window) > 0 ? 0.62 : 0);
  const share = (marked?.share ?? 0) + ofLost * diedShare(figures, full.length >= 2 * FEWEST_FULL ? 0 : 2);
  if (share === 0) return nothingOf('memory');
  const evidence: Evidence[] = [];
  if (full.length > 0) evidence.push(evidenceOf(full, silent));
  if (near > 0) evidence.push({ says: 'Workers came near the limit of their heap.', figures: { workers: near, ofWorkers: figures.window.workers.length } });
  if (marked !== null) evidence.push(marked.evidence);
  const revisions = [...new Set(full.map((w) => w.revision))];
  return {
    cause: 'memory',
    subject: revisions.length === 1 ? (revisions[0] ?? null) : null,
    confidence: Math.min(1, share) * 0.93,
    evidence,
  };
}

/** Workers that fall silent with a full heap, for it to be no chance; twice as many, and those that were sent away count no more. */
const FEWEST_FULL = 2;

/** Fewer errors than these tell nothing of those whose jobs have been done since. */
const FEWEST_TOLD = 5;

/**
 * What dead workers may account for, of all that goes wrong beyond the usual: their leases, and failures that nobody tells
 * of any more, since the worker that came back reported what it had died of and the job was done at the next try.
 */
function diedShare({ counts, before, bad, usual, attempts }: WindowFigures, deviations: number): number {
  const expected = (n: number) => (n / Math.max(1, usual.all)) * bad.all;
  const fails = expected(before.failed);
  const lost = Math.max(0, counts.lost - expected(before.lost));
  const failed = Math.max(0, counts.failed - fails - deviations * Math.sqrt(fails));
  if (lost + failed === 0) return 0;
  const told = attempts.filter((a) => a.end === 'failed').length;
  return (lost + (told < FEWEST_TOLD ? failed : 0)) / (lost + failed);
}

/** Times the usual: where heaps are far from their limit, one that stands near it is no chance. */
const JUMPED = 3;

function jumped(window: CauseWindow): number {
  const line = Math.max(FULL, JUMPED * usualFill(window));
  return window.workers.filter((w) => w.samples.some((s) => (fillOf(s) ?? 0) >= line)).length;
}

/** Workers near their limit, for an exhaustion that comes and goes between two heartbeats. */
const FEWEST_NEAR = 3;

function nearLimit({ window }: WindowFigures): number {
  return window.workers.filter((w) => w.samples.some((s) => (fillOf(s) ?? 0) >= FULL)).length;
}

/** Silent for so long, a worker is not heard of any more, ms. */
const SILENT_MS = 45_000;

/** Workers that told of their heap and fell silent; of those that shut down in order too. */
function silentWorkers({ window }: WindowFigures): readonly WorkerSeen[] {
  return window.workers.filter((w) => w.lastMs < window.toMs - SILENT_MS && w.samples.some((s) => fillOf(s) !== null));
}

/** Share of the limit per minute that a leak climbs at least. */
const CLIMBS = 0.005;

function evidenceOf(full: readonly WorkerSeen[], silent: readonly WorkerSeen[]): Evidence {
  const climbs = full.map(({ samples }) => slope(samples.map((s) => [s.atMs / 60_000, fillOf(s) ?? 0])));
  const leaks = full.filter((w, i) => w.samples.length >= 4 && (climbs[i] ?? 0) >= CLIMBS).length;
  const last = full.map(({ samples }) => Math.max(...samples.slice(-3).map((s) => fillOf(s) ?? 0)));
  return {
    says:
      leaks * 2 >= full.length
        ? 'Workers fell silent with their heap near its limit, and it had climbed steadily: a leak.'
        : 'Workers fell silent with their heap near its limit, which it reached at once: an exhaustion.',
    figures: {
      workers: full.length,
      ofSilent: silent.length,
      heapOfLimit: round(Math.max(...last)),
      climbPerMinute: round(climbs.reduce((a, b) => a + b, 0) / full.length, 3),
      revisions: new Set(full.map((w) => w.revision)).size,
    },
  };
}
