import { FINISHED, type JobStatus } from '#libs/domain';
import type { MessageKind } from '../ports/outbound-store.port.js';

/** What the row says now; a {@link JobView} is one. */
export interface Standing {
  readonly status: JobStatus;
  readonly attempt: number;
}

/**
 * Only what is still true goes out.
 *
 *   enqueue       its attempt is the current one and nobody has started it. `queued` counts as well as `requeued`: an
 *                 operator's restart sends the command of a first attempt, which no requeue has granted.
 *   stop          the job is finished, or its attempt is below the current one.
 *   dead-letter   the job is dead-lettered by the end of this attempt.
 *   incident      always: it says what happened.
 *   invalidation  always. To read a cached value again is harmless, whereas a claim's answer and an enqueue command may
 *                 have named this position: held back, it would leave their readers waiting for it.
 */
export function isCurrent(kind: MessageKind, attempt: number, now: Standing): boolean {
  switch (kind) {
    case 'invalidation':
    case 'incident':
      return true;
    case 'enqueue':
      return attempt === now.attempt && (now.status === 'requeued' || now.status === 'queued');
    case 'stop':
      return FINISHED.has(now.status) || attempt < now.attempt;
    case 'dead-letter':
      return now.status === 'dead-lettered' && attempt === now.attempt;
  }
}

/** For the record and for logs: why a message was skipped. */
export function skipReason(attempt: number, now: Standing | null): string {
  if (now === null) return 'the job is below the retention line';
  return attempt === now.attempt
    ? `the job is ${now.status}`
    : `the job is ${now.status} at attempt ${String(now.attempt)}, this is of attempt ${String(attempt)}`;
}
