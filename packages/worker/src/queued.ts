import { setTimeout as delay } from 'node:timers/promises';
import type { Emitter, EventResult, Invalidates, QueuedData } from '@jobwarden/client';
import { QueueClosedError } from './errors.js';
import type { Gates } from './gates.js';

/** A job as it is put into its queue. */
export interface QueuedSpec {
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
  /**
   * What to do while the queue is paused or throttled: `delay` waits, `reject` throws QueueClosedError with the time after
   * which to come again, `ignore` does not ask. Default `delay`.
   */
  readonly whenPaused?: 'delay' | 'reject' | 'ignore';
  /** How long `delay` waits, ms; then it throws QueueClosedError. Default 30,000. */
  readonly maxDelayMs?: number;
  readonly signal?: AbortSignal;
}

export interface QueuedParts {
  readonly emitter: Emitter;
  readonly gates: Gates;
}

/** Tells that a job is put into its queue, once that may be done. */
export async function queued(spec: QueuedSpec, { emitter, gates }: QueuedParts): Promise<EventResult | null> {
  await passed(spec, gates);
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

async function passed({ queue, whenPaused = 'delay', maxDelayMs = 30_000, signal }: QueuedSpec, gates: Gates): Promise<void> {
  if (whenPaused === 'ignore') return;
  const deadlineMs = performance.now() + maxDelayMs;
  for (;;) {
    signal?.throwIfAborted();
    const passage = await gates.pass(queue);
    if (passage.kind === 'open') return;
    const leftMs = deadlineMs - performance.now();
    if (whenPaused === 'reject' || leftMs <= 0) throw new QueueClosedError(queue, passage.code, passage.retryAfterMs);
    await delay(Math.min(passage.retryAfterMs, leftMs, 1_000), undefined, signal === undefined ? {} : { signal });
  }
}
