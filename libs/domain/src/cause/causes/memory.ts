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
  const { failed, lost } = figures.counts;
  const ofLost = silent.length === 0 ? 0 : full.length / silent.length;
  const share = (marked?.share ?? 0) + (full.length >= 2 || silent.length === full.length ? ofLost * (lost / Math.max(1, failed + lost)) : 0);
  if (share === 0) return nothingOf('memory');
  const evidence: Evidence[] = [];
  if (full.length > 0) evidence.push(evidenceOf(full, silent));
  if (marked !== null) evidence.push(marked.evidence);
  const revisions = [...new Set(full.map((w) => w.revision))];
  return {
    cause: 'memory',
    subject: revisions.length === 1 ? (revisions[0] ?? null) : null,
    confidence: Math.min(1, share) * 0.93,
    evidence,
  };
}

/** Silent for so long, a worker is not heard of any more, ms. */
const SILENT_MS = 45_000;

/** Workers that told of their heap and fell silent since it began; of those that shut down in order too. */
function silentWorkers({ window, onsetMs }: WindowFigures): readonly WorkerSeen[] {
  const { toMs } = window;
  return window.workers.filter((w) => w.lastMs >= onsetMs - 2 * SILENT_MS && w.lastMs < toMs - SILENT_MS && w.samples.some((s) => fill(s) !== null));
}

/** Of the limit: a heap so full is collected all the time. */
const FULL = 0.85;

function isFull({ samples }: WorkerSeen): boolean {
  return samples.slice(-3).some((s) => (fill(s) ?? 0) >= FULL);
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
