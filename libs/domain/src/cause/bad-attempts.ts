import type { JobState } from '../job/fold/state.js';
import { workerOf } from './outcome-counts.js';
import type { BadAttempt } from './window.js';

/** Longer messages are cut, in characters: what they point at stands first. */
const LONGEST_MESSAGE = 300;

export interface BadAttemptsOf {
  /** `namespace/queue`. */
  readonly queue: string;
  readonly job: string;
  readonly state: JobState;
  /** Attempts of which it was only said that they were lost, by when; where nothing is decided. */
  readonly saidLost?: ReadonlyMap<number, number>;
}

/** The attempts of a job that failed or were lost in [fromMs, toMs). What an attempt told itself counts over its loss. */
export function badAttemptsOf({ queue, job, state, saidLost }: BadAttemptsOf, fromMs: number, toMs: number): BadAttempt[] {
  const found: BadAttempt[] = [];
  const lost = new Map(saidLost);
  for (const d of state.decisions) if (d.kind === 'restart-requested' && d.reason === 'lost') lost.set(d.attempt, d.laneMs);
  const pill = state.decisions.some((d) => d.kind === 'dead-lettered' && d.reason === 'poison_pill');
  const base = { queue, job, kind: state.queued?.kind ?? '', ...(pill && { poisonPill: true as const }) };
  const inside = (ms: number) => ms >= fromMs && ms < toMs;
  for (const [attempt, { outcome, firstStartMs }] of state.attempts) {
    const worker = workerOf(state, attempt) ?? outcome?.worker ?? null;
    const by = { worker: worker?.id ?? null, revision: outcome?.worker?.revision ?? worker?.revision ?? '' };
    if (outcome !== null) {
      lost.delete(attempt);
      if (outcome.kind === 'succeeded' || !inside(outcome.laneMs)) continue;
      const { error, laneMs, durationMs } = outcome;
      found.push({
        ...base,
        ...by,
        attempt,
        end: 'failed',
        endedMs: laneMs,
        runMs: durationMs ?? runOf(firstStartMs, laneMs),
        class: error?.class ?? null,
        message: error?.message.slice(0, LONGEST_MESSAGE) ?? null,
        code: error?.code ?? null,
        responseStatus: error?.responseStatus ?? null,
      });
      continue;
    }
    const lostMs = lost.get(attempt);
    if (lostMs === undefined || !inside(lostMs)) continue;
    const nothing = { class: null, message: null, code: null, responseStatus: null };
    found.push({ ...base, ...by, ...nothing, attempt, end: 'lost', endedMs: lostMs, runMs: runOf(firstStartMs, lostMs) });
  }
  return found;
}

function runOf(startMs: number | null, endMs: number): number | null {
  return startMs === null || endMs < startMs ? null : endMs - startMs;
}
