import type { Emitter, EventResult, Invalidates, QueuedData } from '@jobwarden/client';
import type { Gates } from './gates.js';
import { intake, type IntakeOptions } from './intake.js';

/** A job as it is put into its queue; what is done while that is paused or throttled: `delay` by default. */
export interface QueuedSpec extends IntakeOptions {
  readonly queue: string;
  /** Id of the job: one run of one thing. */
  readonly id: string;
  /** What sort of job it is: has its own limits and latency history. */
  readonly kind?: string;
  /** What to run with, any JSON; kept by Jobwarden for the next attempts. Not with `payloadRef`. */
  readonly payload?: unknown;
  /** Where the payload lies. */
  readonly payloadRef?: string;
  /** Retries after the first attempt, 0 to 100; beats the policy. */
  readonly maxRetries?: number;
  readonly notBefore?: Date;
  /** The job's own hard timeout, ms; beats the policy's. */
  readonly timeoutMs?: number;
  /** Cache keys and tags that each requeue makes untrue. */
  readonly invalidates?: Invalidates;
  /** The same for every repeat of this call, by any process of the same `source`. Default: a new one. */
  readonly eventId?: string;
  /** W3C trace context. Default: that of the span that is active, where the program has OpenTelemetry. */
  readonly traceparent?: string;
  /** Goes with `traceparent`. */
  readonly tracestate?: string;
}

export interface QueuedParts {
  readonly emitter: Emitter;
  readonly gates: Gates;
}

/** Tells that a job is put into its queue, once that may be done. */
export async function queued(spec: QueuedSpec, { emitter, gates }: QueuedParts): Promise<EventResult | null> {
  await intake(spec.queue, 1, spec, gates);
  const { queue, id, eventId, traceparent, tracestate } = spec;
  return await emitter.ask({
    ...{ type: 'queued', queue, jobId: id, data: queuedData(spec) },
    ...(eventId !== undefined && { id: eventId }),
    ...(traceparent !== undefined && { traceparent }),
    ...(tracestate !== undefined && { tracestate }),
  });
}

/** As the fact has it. */
export function queuedData({ kind, payload, payloadRef, maxRetries, notBefore, timeoutMs, invalidates }: QueuedSpec): QueuedData {
  return {
    ...(kind !== undefined && { kind }),
    ...(payload !== undefined && { payload }),
    ...(payloadRef !== undefined && { payloadRef }),
    ...(maxRetries !== undefined && { maxRetries }),
    ...(notBefore !== undefined && { notBefore: notBefore.toISOString() }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(invalidates !== undefined && { invalidates }),
  };
}
