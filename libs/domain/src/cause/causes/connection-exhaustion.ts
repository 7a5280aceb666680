import { nothingOf, type Evidence, type Finding } from '../assessment.js';
import { round, type WindowFigures } from '../figures.js';
import { markedAs } from './marked.js';
import type { WorkerSeen } from '../window.js';

/**
 * No connection is to be had. For it: the database's and the pools' own words for it, workers whose callers wait while
 * their pool is at its limit. A refused connection beside it is the same fault, of one's own database. Against it: pools
 * have room.
 */
export function connectionExhaustion(figures: WindowFigures): Finding {
  const marked = markedAs(figures, ['connection'], 'Errors say that no connection was to be had.');
  const full = fullPools(figures);
  const share = full === null ? 0 : full.full / Math.max(1, full.of);
  const direct = marked?.share ?? 0;
  if (direct === 0 && share < 0.3) return nothingOf('connection_exhaustion');
  const slow = share >= 0.3 ? markedAs(figures, ['timeout'], 'Others took too long while pools were full.') : null;
  const refused = direct >= 0.15 && share >= 0.3 ? toDatabase(figures) : 0;
  const evidence: Evidence[] = [];
  if (marked !== null) evidence.push(marked.evidence);
  if (full !== null && full.full > 0) evidence.push(full.evidence);
  if (slow !== null) evidence.push(slow.evidence);
  return {
    cause: 'connection_exhaustion',
    subject: marked?.code ?? null,
    confidence: Math.min(1, direct + (slow?.share ?? 0) + refused) * Math.min(0.97, 0.88 + 0.1 * share),
    evidence,
  };
}

/** Ports of databases and of what stands before them. */
const DATABASE_PORT = /:(?:5432|5433|6432|3306|1433|27017|6379)\b/u;

function toDatabase({ attempts }: WindowFigures): number {
  const refused = attempts.filter((a) => a.code === 'ECONNREFUSED' && DATABASE_PORT.test(a.message ?? '')).length;
  return refused / Math.max(1, attempts.length);
}

interface FullPools {
  readonly full: number;
  readonly of: number;
  readonly evidence: Evidence;
}

/** null: no worker tells of a pool. */
function fullPools({ window, onsetMs }: WindowFigures): FullPools | null {
  const telling = window.workers.filter((w) => w.lastMs >= onsetMs && w.samples.some((s) => s.poolWaiting !== null));
  if (telling.length === 0) return null;
  const full = telling.filter((w) => waited(w, onsetMs) > 0);
  const most = Math.max(0, ...telling.map((w) => waited(w, onsetMs)));
  const inUse = Math.max(0, ...full.flatMap((w) => w.samples.map((s) => s.poolInUse ?? 0)));
  return {
    full: full.length,
    of: telling.length,
    evidence: {
      says: 'Callers wait for a connection of their worker’s pool.',
      figures: { workers: full.length, ofWorkers: telling.length, mostWaiting: round(most, 0), mostInUse: inUse },
    },
  };
}

/** Most that waited, where it was no moment: in two samples, or in its only one. */
function waited({ samples }: WorkerSeen, sinceMs: number): number {
  const since = samples.filter((s) => s.atMs >= sinceMs).map((s) => s.poolWaiting ?? 0);
  const waiting = since.filter((n) => n > 0);
  return waiting.length >= Math.min(2, since.length) ? Math.max(0, ...waiting) : 0;
}
