import type { Assessed, EvidenceLook, QuarantineLook } from '#libs/domain';
import type { RunQueueName } from '../ports/run-store.port.js';

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

export interface RevisionDesk {
  /** Refuses it in all of these queues. Idempotent. */
  refuse(incidentId: string, queues: readonly RunQueueName[], revision: string, reason: string): Promise<void>;
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
