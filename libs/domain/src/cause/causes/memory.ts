import { nothingOf, type Evidence, type Finding } from '../assessment.js';
import { round, type WindowFigures } from '../figures.js';
import { slope } from '../statistics.js';
import { markedAs } from './marked.js';
import type { WorkerSample, WorkerSeen } from '../window.js';

/**
 * Workers that run out of memory. For it: their heap stood near its limit when they fell silent, and they lost their
 * leases; or errors say so. A leak climbs over many samples, an exhaustion does not. Against it: those that fell silent had
 * room, or those near the limit go on.
 */
export function memory(figures: WindowFigures): Finding {
  const marked = markedAs(figures, ['memory'], 'Errors say that memory ran out.');
  const silent = silentWorkers(figures);
  const full = silent.filter(isFull);
  const few = full.length < FEWEST_FULL && full.length < silent.length;
  const near = nearLimit(figures);
  const ofSilent = few || silent.length === 0 ? 0 : Math.max(full.length / silent.length, full.length >= 2 * FEWEST_FULL ? 0.95 : 0);
  const ofLost = Math.max(ofSilent, near >= FEWEST_NEAR ? 0.8 : 0);
  const lostShare = Math.min(1, figures.counts.lost / Math.max(1, figures.excess));
  const share = (marked?.share ?? 0) + ofLost * lostShare;
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

/** Workers near their limit, for an exhaustion that comes and goes between two heartbeats. */
const FEWEST_NEAR = 3;

function nearLimit({ window, onsetMs }: WindowFigures): number {
  return window.workers.filter((w) => w.samples.some((s) => s.atMs >= onsetMs - SILENT_MS && (fill(s) ?? 0) >= FULL)).length;
}

/** Silent for so long, a worker is not heard of any more, ms. */
const SILENT_MS = 45_000;

/** Workers that told of their heap and fell silent since it began; of those that shut down in order too. */
function silentWorkers({ window, onsetMs }: WindowFigures): readonly WorkerSeen[] {
  const { toMs } = window;
  return window.workers.filter((w) => w.lastMs >= onsetMs - SILENT_MS / 2 && w.lastMs < toMs - SILENT_MS && w.samples.some((s) => fill(s) !== null));
}

/** Of the limit: a heap so full is collected all the time. */
const FULL = 0.8;
/** On its way there: between two samples lies most of the way of a quick one. */
const HALF = 0.5;
const GREW = 1.5;

function isFull({ samples }: WorkerSeen): boolean {
  const fills = samples.map((s) => fill(s) ?? 0);
  const last = Math.max(0, ...fills.slice(-2));
  return last >= FULL || (last >= HALF && last >= GREW * Math.min(...fills));
}

function fill({ heapUsed, heapLimit, rss }: WorkerSample): number | null {
  if (heapLimit === null || heapLimit === 0) return null;
  const used = Math.max(heapUsed ?? 0, 0);
  return used === 0 && rss === null ? null : used / heapLimit;
}

/** Share of the limit per minute that a leak climbs at least. */
const CLIMBS = 0.005;

function evidenceOf(full: readonly WorkerSeen[], silent: readonly WorkerSeen[]): Evidence {
  const climbs = full.map(({ samples }) => slope(samples.map((s) => [s.atMs / 60_000, fill(s) ?? 0])));
  const leaks = full.filter((w, i) => w.samples.length >= 4 && (climbs[i] ?? 0) >= CLIMBS).length;
  const last = full.map(({ samples }) => Math.max(...samples.slice(-3).map((s) => fill(s) ?? 0)));
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
