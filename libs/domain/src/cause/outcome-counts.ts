import type { Worker } from '../job/events/facts.js';
import type { JobEvent } from '../job/fold/fold.js';
import type { AttemptState, JobState } from '../job/fold/state.js';

/** What is counted per stretch of lane time, kind, revision and track: events, each once, by when they were taken in. */
export const OUTCOMES = [
  'queued',
  'started',
  'succeeded',
  'failed',
  'lost',
  'deadLettered',
  'writeRefused',
  'contradicted',
] as const;
export type OutcomeName = (typeof OUTCOMES)[number];
export type OutcomeCounts = Readonly<Record<OutcomeName, number>>;

/** Width of a stretch, ms; as long as they are new. */
export const OUTCOME_SLOT_MS = 10_000;

export interface Counted {
  /** Lane time, ms. */
  readonly atMs: number;
  readonly name: OutcomeName;
  /** It was accepted and does not agree with what was told before: a second success, or a failure beside one. */
  readonly contradicts: boolean;
  /** Whoever did it, or held what was lost; null: nobody was named. */
  readonly worker: Worker | null;
}

/** What an event counts as. `state`: the job's with the event in it. null: it counts as nothing. */
export function countedOf(state: JobState, event: JobEvent): Counted | null {
  if (event.kind === 'decision') {
    const { kind, attempt, reason, laneMs, evidence } = event.decision;
    if (kind === 'restart-requested' && reason === 'lost') return counted(laneMs, 'lost', workerOf(state, attempt));
    if (kind === 'dead-lettered') return counted(laneMs, 'deadLettered', workerOf(state, attempt));
    if (kind === 'write-refused') return counted(laneMs, 'writeRefused', refusedWorker(evidence) ?? workerOf(state, attempt));
    return null;
  }
  const { fact } = event;
  switch (fact.type) {
    case 'queued':
      return counted(fact.laneMs, 'queued', null);
    case 'claimed':
    case 'started':
      // A claim is often followed by the start that it was for.
      return state.attempts.get(fact.attempt)?.firstStartMs === fact.laneMs ? counted(fact.laneMs, 'started', fact.worker) : null;
    case 'succeeded':
    case 'failed': {
      const worker = fact.worker?.revision === undefined ? (workerOf(state, fact.attempt) ?? fact.worker ?? null) : fact.worker;
      return { ...counted(fact.laneMs, fact.type, worker), contradicts: contradicts(state, fact) };
    }
    default:
      return null;
  }
}

/** Who began an attempt: of several the last one. null: no start was seen. */
export function workerOf(state: JobState, attempt: number): Worker | null {
  const starts = state.attempts.get(attempt)?.starts ?? [];
  return starts.reduce<AttemptState['starts'][number] | null>((a, b) => (a === null || b.laneMs >= a.laneMs ? b : a), null)?.worker ?? null;
}

function counted(atMs: number, name: OutcomeName, worker: Worker | null): Counted {
  return { atMs, name, worker, contradicts: false };
}

/** Of two that came in one batch both do. */
function contradicts(state: JobState, { type, attempt }: { readonly type: 'succeeded' | 'failed'; readonly attempt: number }): boolean {
  const own = state.attempts.get(attempt);
  if (own !== undefined && (own.succeededAgain || (own.failed && own.succeeded))) return true;
  if (type === 'failed' || state.attempts.size < 2) return false;
  for (const [n, other] of state.attempts) if (n !== attempt && other.succeeded) return true;
  return false;
}

function refusedWorker(evidence: Readonly<Record<string, unknown>> | undefined): Worker | null {
  const fact = evidence?.['fact'] as { readonly worker?: Worker } | undefined;
  return fact?.worker ?? null;
}

export function noCounts(): Record<OutcomeName, number> {
  return { queued: 0, started: 0, succeeded: 0, failed: 0, lost: 0, deadLettered: 0, writeRefused: 0, contradicted: 0 };
}

export function addCounts(to: Record<OutcomeName, number>, counts: OutcomeCounts): void {
  for (const name of OUTCOMES) to[name] += counts[name];
}
