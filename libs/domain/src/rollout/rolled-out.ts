import { conflictOf, replicasStand } from './conflict.js';
import { gone } from './gone.js';
import { standsAsWritten, type PodSeen, type WorkloadSeen, type WorkloadWritten } from './workload.js';
import { howMany, howManyOf, verb } from '../words/how-many.js';

export interface RolloutQuestion {
  /** What the write left behind. */
  readonly written: WorkloadWritten;
  /** Revisions of which no pod may be left. */
  readonly bad: readonly string[];
  /** Lane times, ms. From `deadlineMs` on what is not done has failed. */
  readonly nowMs: number;
  readonly deadlineMs: number;
}

/**
 * - `conflict`: somebody else wrote meanwhile; {@link conflictOf} says who.
 * - `nothing_wanted`: the write wished for no pods, which no rollout can be.
 * - `paused`: the wish is not carried out.
 * - `given_up`: the orchestrator itself has given up.
 * - `deadline`: our own; with the reasons of the pods.
 */
export type RolloutFailure = 'conflict' | 'nothing_wanted' | 'paused' | 'given_up' | 'deadline';

export type Rollout =
  | { readonly state: 'done' }
  | { readonly state: 'waiting'; readonly why: string }
  | { readonly state: 'failed'; readonly code: RolloutFailure; readonly why: string; readonly pods: readonly string[] };

/**
 * Whether a release is out: by one look, and by everything in it. Each of these has been seen to hold while no good worker ran:
 * the observed generation and the number of available pods (they were the bad ones), a rollout that "succeeded" (with 0 of 0 pods), the condition `Available`
 * (true at 0), the counters (while old pods were still stopping).
 */
export function rolledOut(seen: WorkloadSeen, question: RolloutQuestion): Rollout {
  const { written, bad, nowMs, deadlineMs } = question;
  const fail = (code: RolloutFailure, why: string): Rollout => ({ state: 'failed', code, why, pods: reasons(seen) });
  if (written.replicas <= 0) return fail('nothing_wanted', 'a rollout to 0 pods brings nothing back');
  const conflict = conflictOf(written, seen, bad);
  if (conflict !== null) return fail('conflict', conflict.why);
  const missing = whatIsMissing(seen, written, bad);
  if (missing === null) return { state: 'done' };
  if (seen.paused) return fail('paused', `${seen.target} is paused: ${missing}`);
  if (seen.failure !== null && upToDate(seen, written)) return fail('given_up', `${seen.failure}; ${missing}`);
  return nowMs >= deadlineMs ? fail('deadline', missing) : { state: 'waiting', why: missing };
}

/** A look from before the write, or counters from before it, say nothing about it. */
function upToDate(seen: WorkloadSeen, written: WorkloadWritten): boolean {
  return seen.generation >= written.generation && seen.observedGeneration >= seen.generation;
}

function whatIsMissing(seen: WorkloadSeen, written: WorkloadWritten, bad: readonly string[]): string | null {
  const { wanted, updated, replicas, available } = seen;
  if (!upToDate(seen, written)) {
    return `generation ${String(Math.max(seen.generation, written.generation))} is not read yet, ${String(seen.observedGeneration)} is`;
  }
  if (!standsAsWritten(seen, written)) return 'the release is not the wished one';
  if (!replicasStand(seen, written)) return `${howMany(wanted, 'pod')} ${verb(wanted, 'is', 'are')} wished for instead of ${String(written.replicas)}`;
  if (updated !== wanted || replicas !== wanted || available !== wanted) {
    return `${howManyOf(updated, wanted, 'pod')} ${verb(updated, 'is', 'are')} of the wished release, ${String(available)} available, ${String(replicas)} in all`;
  }
  const left = bad.map((revision) => ({ revision, ...gone(seen, revision) })).find((one) => !one.gone);
  if (left === undefined) return null;
  return `${howMany(left.left, 'pod')} of ${left.revision} ${verb(left.left, 'is', 'are')} left, ${String(left.terminating)} of them stopping`;
}

function reasons({ hindrance, pods }: WorkloadSeen): readonly string[] {
  return [...(hindrance === null ? [] : [hindrance]), ...podReasons(pods)];
}

const SHOWN_PODS = 10;

/** Of the pods that are not ready, for people. */
export function podReasons(pods: readonly PodSeen[]): readonly string[] {
  const reasons = pods
    .filter((pod) => !pod.ready || pod.terminating)
    .map((pod) => `${pod.name} (${pod.revision ?? 'no revision'}): ${pod.terminating ? 'stopping' : (pod.reason ?? 'not ready')}`);
  const rest = reasons.length - SHOWN_PODS;
  return rest > 0 ? [...reasons.slice(0, SHOWN_PODS), `and ${String(rest)} more`] : reasons;
}
