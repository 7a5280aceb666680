import type { Assessed, CauseCase, EvidenceLook, QuarantineLook } from '#libs/domain';
import type { RunAt, RunQueueName } from '../ports/run-store.port.js';

/**
 * What a run asks of the other parts, each as narrow as the run needs it. All may throw RetryableError; then the look is
 * given up and made again, and the run stays where it is.
 */

/** The window of the log, read for a cause. */
export interface CauseDesk {
  /** null: the log says nothing yet. */
  assessed(queues: readonly RunQueueName[], sinceMs: number): Promise<Assessed | null>;
  /** Revisions that the log proves healthy, the best first. */
  healthy(queues: readonly RunQueueName[]): Promise<readonly string[]>;
}

/** Incidents that queues without a target may belong to. */
export interface CauseCases {
  readonly cases: readonly (Omit<CauseCase, 'queues'> & { readonly queues: readonly RunQueueName[] })[];
  /** Lane time, ms: since when it is looked at. */
  readonly sinceMs: number;
}

export interface CommonCauses {
  /**
   * Which of these queues go wrong for one cause: by `namespace/queue` the subject of the incident that each belongs to, of one
   * of the cases where it fits. In a few reads, and within seconds: a queue that there was no time for is left out.
   */
  common(queues: readonly RunQueueName[], among: CauseCases): Promise<ReadonlyMap<string, string>>;
}

export interface RevisionDesk {
  /** Refuses it in all of these queues, while the run is as it was judged. Idempotent. */
  refuse(run: RunAt, queues: readonly RunQueueName[], revision: string, reason: string): Promise<void>;
  /** Of all of these queues together. */
  standing(queues: readonly RunQueueName[], revision: string): Promise<QuarantineLook>;
  /** That are refused in any of these queues. */
  refused(queues: readonly RunQueueName[]): Promise<readonly string[]>;
}

export interface WorkerEvidence {
  /** Asks one bad worker, once per incident. Idempotent. */
  ask(incidentId: string, queues: readonly RunQueueName[], revision: string): Promise<void>;
  standing(incidentId: string): Promise<EvidenceLook>;
}
