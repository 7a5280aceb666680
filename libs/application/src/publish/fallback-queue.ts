import { GRANTED_BY_CLAIM, type JobRef, type JobState } from '#libs/domain';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { Intent } from './decoded-entry.js';

/** The queue whose workers are meant by a command of the job; null: its own. */
export type FallbackOf = (ref: Pick<JobRef, 'namespace' | 'queue'>, kind: string | null) => Fallback | null;

interface Fallback {
  readonly queue: string;
  readonly paused: boolean;
}

const PAUSED = 'paused';

/** As the policy of the job's own queue says: one hop, whatever the other queue's policy says of its own jobs. */
export function fallbackOf(policies: PolicySource): FallbackOf {
  return ({ namespace, queue }, kind) => {
    const { fallbackQueue } = policies.policyFor({ namespace, queue }, kind).policy;
    // Defaults may name a fallback for all; for that queue itself there is none.
    if (fallbackQueue === null || fallbackQueue === queue) return null;
    const { gate } = policies.policyFor({ namespace, queue: fallbackQueue }, null);
    return { queue: fallbackQueue, paused: gate?.gate === PAUSED };
  };
}

/**
 * Where a command goes besides, or instead of, the job's own queue. Only attempts that were granted again are for others,
 * and of those only what a command went out for: who claimed one has it. While the other queue is paused nothing new
 * goes there; a stop does, since whoever runs the job may be one of its workers.
 */
export function deliverTo({ entry, kind, decision }: Intent, state: JobState, fallback: FallbackOf): string | null {
  if (kind === 'dead-letter') return null;
  const grant = state.decisions.find((d) => d.kind === 'requeued' && d.attempt === decision.attempt);
  if (grant === undefined || grant.reason === GRANTED_BY_CLAIM) return null;
  const found = fallback(entry.ref, state.queued?.kind ?? null);
  return found === null || (kind === 'enqueue' && found.paused) ? null : found.queue;
}

/** Queues whose readers a message is for: a stop is for everybody who may be running the job. */
export function addressees(kind: string, queue: string, to: string | null): readonly string[] {
  if (to === null) return [queue];
  return kind === 'stop' ? [queue, to] : [to];
}
