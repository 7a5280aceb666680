import type { JobFact, QueuedData, TraceContext } from '@jobwarden/client';
import type { Job } from 'bullmq';
import { carriedOf } from '../carried.js';
import { runOf } from '../run-id.js';

/** The part of a BullMQ job that `queued` is made of. */
export type Added = Pick<Job, 'name' | 'data' | 'opts' | 'timestamp' | 'queueName'> & { readonly id?: string | undefined };

/** As Jobwarden allows it. */
const MOST_RETRIES = 100;

/**
 * `queued` of a job as it stands in BullMQ. Its id and what it says come from the job alone, so that told twice it is a
 * duplicate. `attempts` above 1 become the job's own `maxRetries`; 0 and 1, BullMQ's default, leave it to the policy.
 */
export function queuedFact(job: Added): JobFact & { readonly type: 'queued' } {
  const { jobId } = runOf(job.id ?? '', job.timestamp);
  const { name, opts, timestamp } = job;
  const data: unknown = job.data;
  const attempts = carriedOf(opts)?.attempts ?? opts.attempts ?? 0;
  const delayMs = opts.delay ?? 0;
  const said: QueuedData = {
    kind: name,
    // As BullMQ stores it.
    payload: data === undefined ? {} : data,
    ...(attempts > 1 && { maxRetries: Math.min(MOST_RETRIES, attempts - 1) }),
    ...(delayMs > 0 && { notBefore: new Date(timestamp + delayMs).toISOString() }),
  };
  return { type: 'queued', id: 'queued', queue: carriedOf(opts)?.queue ?? job.queueName, jobId, data: said, ...traceOf(opts) };
}

/** Of the producer: BullMQ's telemetry keeps it as JSON, and where a program has none of that, we do. */
export function traceOf(opts: Pick<Job['opts'], 'telemetry'>): TraceContext | null {
  return telemetryOf(opts) ?? carriedOf(opts)?.trace ?? null;
}

function telemetryOf({ telemetry }: Pick<Job['opts'], 'telemetry'>): TraceContext | null {
  try {
    const { traceparent, tracestate } = JSON.parse(telemetry?.metadata ?? '{}') as { traceparent?: unknown; tracestate?: unknown };
    if (typeof traceparent !== 'string') return null;
    return { traceparent, ...(typeof tracestate === 'string' && { tracestate }) };
  } catch {
    return null;
  }
}
