import { nothingOf, type Evidence, type Finding } from '../assessment.js';
import { mostOf, round, type WindowFigures } from '../figures.js';
import { markedAs } from './marked.js';

/**
 * Jobs that wait for each other. For it: deadlocks and lock timeouts by their codes, workers that wait for locks, the same
 * resource or the same two holders again and again. Waiting takes time and connections, so time-outs and a full pool beside
 * it are its effect. Against it: nobody waits for a lock, or one release only does.
 */
export function lockContention(figures: WindowFigures): Finding {
  const waits = lockWaitsOf(figures);
  const marked = markedAs(figures, ['lock'], 'Errors say that a lock could not be had, or that two waited for each other.');
  const slow = markedAs(figures, ['timeout', 'connection'], 'Others took too long, or found no connection, while locks were waited for.');
  const waiting = waits === null ? 0 : waits.workers / Math.max(1, waits.ofWorkers);
  const direct = marked?.share ?? 0;
  if (direct === 0 && waiting < 0.2) return nothingOf('lock_contention');
  // Who waits for a lock holds a connection, and runs out of time.
  const effects = waiting >= 0.2 || direct >= 0.15 ? (slow?.share ?? 0) : 0;
  const share = Math.min(1, direct + effects);
  const evidence: Evidence[] = [];
  if (marked !== null) evidence.push(marked.evidence);
  if (waits !== null) evidence.push(waits.evidence);
  if (slow !== null && effects > 0) evidence.push(slow.evidence);
  return {
    cause: 'lock_contention',
    subject: waits?.resource ?? marked?.code ?? null,
    confidence: share * Math.min(0.97, 0.85 + 0.15 * waiting),
    evidence,
  };
}

interface LockWaits {
  readonly workers: number;
  readonly ofWorkers: number;
  readonly resource: string | null;
  readonly evidence: Evidence;
}

/** Shorter ones are nothing. */
const LONG_MS = 500;

function lockWaitsOf({ window, onsetMs }: WindowFigures): LockWaits | null {
  const waits = window.workers.flatMap(({ worker, samples }) =>
    samples.filter((s) => s.atMs >= onsetMs).flatMap((s) => s.lockWaits.map((wait) => ({ worker, ...wait }))),
  );
  const long = waits.filter((w) => w.waitedMs >= LONG_MS);
  if (long.length === 0) return null;
  const resource = mostOf(long.map((w) => w.resource));
  const pair = mostOf(long.map((w) => (w.holder === null ? null : `${w.worker} waits for ${w.holder}`)));
  const crossed = long.find((w) => w.holder !== null && long.some((o) => o.worker === w.holder && o.holder === w.worker));
  return {
    workers: new Set(long.map((w) => w.worker)).size,
    ofWorkers: window.workers.filter((w) => w.lastMs >= onsetMs).length,
    resource: resource?.word ?? null,
    evidence: {
      says: crossed === undefined ? 'Workers wait for locks.' : 'Workers wait for locks, and two of them for each other.',
      figures: {
        workers: new Set(long.map((w) => w.worker)).size,
        resource: resource?.word ?? 'unknown',
        waits: long.length,
        longestSeconds: round(Math.max(...long.map((w) => w.waitedMs)) / 1_000, 1),
        ...(pair !== null && { pair: crossed === undefined ? pair.word : `${crossed.worker} and ${crossed.holder ?? ''}` }),
      },
    },
  };
}
