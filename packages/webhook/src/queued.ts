import type { JobFact } from '@jobwarden/client';
import { queuedData, type QueuedSpec } from '@jobwarden/worker';

/** `queued` of a job that is in its queue. */
export function queuedFact(job: QueuedSpec): JobFact {
  const { queue, id, eventId, traceparent, tracestate } = job;
  return {
    ...{ type: 'queued', queue, jobId: id, data: queuedData(job) },
    ...(eventId !== undefined && { id: eventId }),
    ...(traceparent !== undefined && { traceparent }),
    ...(tracestate !== undefined && { tracestate }),
  };
}
