import { isByHand, JOBWARDEN, type DecisionDraft } from '../events/decisions.js';
import type { Worker } from '../events/facts.js';
import { sameWorker } from '../fold/fold-starts.js';
import type { Plan, Subject } from './plan-types.js';
import type { AttemptState, JobState } from '../fold/state.js';

/**
 * finished: a stop for every worker that started and has not itself ended, and for the open grant, whose command may
 * be in flight. By hand at every level; a job that ended otherwise only at act, and silently below it.
 */
export function planFinished(subject: Subject): Plan | null {
  const { state, view } = subject;
  const drafts = stopsOf(state, view.attempt);
  if (drafts.length === 0) return null;
  const byHand = view.bearing !== null && isByHand(view.bearing.kind);
  return {
    waitsFor: 'decision',
    dueMs: view.sinceMs,
    gated: false,
    planned: { kind: 'decide', action: byHand ? null : 'requeue', reason: 'finished', drafts, silent: true },
  };
}

export function stopsOf(state: JobState, current: number): DecisionDraft[] {
  const drafts: DecisionDraft[] = [];
  for (const n of attemptNumbers(state, current)) {
    if (state.decisions.some((d) => d.kind === 'stop-requested' && d.attempt === n)) continue;
    const attempt = state.attempts.get(n);
    if (attempt === undefined ? n === current && grantIsOpen(state) : isOut(attempt)) drafts.push(stopFor(n, attempt));
  }
  return drafts;
}

/** In order. Nearly every job is over after its first attempt. */
function attemptNumbers(state: JobState, current: number): readonly number[] {
  if (state.attempts.size === 1 && state.attempts.has(current)) return [current];
  return [...new Set([...state.attempts.keys(), current])].sort((a, b) => a - b);
}

/** A grant nobody has started: its command may still be in flight, the very first one's too. */
function grantIsOpen(state: JobState): boolean {
  return state.queued !== null || state.decisions.some((d) => d.kind === 'requeued');
}

/** Somebody started this attempt and has not ended it. */
function isOut(attempt: AttemptState): boolean {
  const { outcome, starts, startsOverflow, renewalFailedMs } = attempt;
  if (startsOverflow) return true;
  // A failed renewal without a start: somebody is at it all the same.
  if (outcome === null) return starts.length > 0 || renewalFailedMs !== null;
  const ender = outcome.worker;
  if (ender === undefined) return starts.length > 1;
  return starts.some((s) => !endedBy(s.worker, ender));
}

/** Where either names no incarnation, the worker's id alone decides. */
function endedBy(worker: Worker, ender: Worker): boolean {
  const byId = worker.incarnation === undefined || ender.incarnation === undefined;
  return byId ? worker.id === ender.id : sameWorker(worker, ender);
}

function stopFor(attempt: number, found: AttemptState | undefined): DecisionDraft {
  const worker = found?.starts[0]?.worker;
  return {
    kind: 'stop-requested',
    attempt,
    reason: 'finished',
    by: JOBWARDEN,
    ...(worker !== undefined && { previousWorker: worker }),
  };
}
