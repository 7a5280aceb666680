import type { Action, Budget, JobRef, LearnedThreshold, Level, PolicySources, QueuePolicy } from '#libs/domain';
import type { QueueGate } from './queue-gate-store.port.js';

/** Policies as the file, the overrides and the built-in defaults give them. Answers from memory: asked in hot paths. */
export interface PolicySource {
  /** `kind` as far as it is known. */
  policyFor(ref: Pick<JobRef, 'namespace' | 'queue'>, kind: string | null): ResolvedPolicy;
  /** Requeues of the whole installation; absent: not metered. */
  readonly budget?: Budget | undefined;
  /** Changes when any answer could have changed; schedules are then rebuilt. */
  readonly version: string;
}

export interface ResolvedPolicy {
  readonly policy: QueuePolicy;
  readonly sources: PolicySources;
  /** With the overrides of `PUT /v1/queues/{queue}/levels` applied. */
  readonly levels: Readonly<Record<Action, Level>>;
  /** What operators let through of the queue; left out: everything, and nothing was ever held. */
  readonly gate?: Pick<QueueGate, 'gate' | 'resumedMs'>;
  /** How long its runs may take, as history teaches; left out: too little is known. */
  readonly learned?: LearnedThreshold;
}
