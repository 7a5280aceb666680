import type { BodyRef, ErrorSummary, Fact, FactType, Invalidates, Worker } from '#libs/domain';
import type { CancelledData, FailedData, HeartbeatData, LeaseRenewalFailedData } from '../schemas/facts.js';
import type { QueuedData, ReleasedData, StartedData, SucceededData } from '../schemas/facts.js';
import type { JsonObject } from '../json.js';
import type { WireFact, WireHeartbeat } from './parsed-event.js';
import { parseRfc3339 } from './rfc3339.js';

/** Domain facts from `data` as the log keeps it: bodies stand in it as `{hash, bytes}`. */

/** Identity and clock of the event; part of every fact. */
export interface FactBase {
  readonly source: string;
  readonly id: string;
  readonly timeMs?: number;
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** What intake stamped. */
export interface FactStamps {
  readonly laneMs: number;
  readonly epoch?: number;
  readonly ownerQueue?: boolean;
  readonly claimId?: string;
}

/** Optional fields are set only where there is a value: a row's text must not depend on who left what out. */
type Draft<F> = { -readonly [K in keyof F]: F[K] };
type Of<T extends FactType> = Draft<Extract<WireFact, { type: T }>>;
type Started = Draft<Extract<WireFact, { type: 'started' | 'claimed' }>>;

/** Reads a fact back from the log: `data` as {@link parseEvent} made it, and what intake stamped. */
export function storedFact(type: FactType, data: JsonObject, base: FactBase, stamps: FactStamps): Fact {
  return { ...wireFact(type, data, base), ...stamps };
}

export function wireFact(type: FactType, data: JsonObject, base: FactBase): WireFact {
  switch (type) {
    case 'queued':
      return queuedFact(data as QueuedData, base);
    case 'claimed':
    case 'started':
      return startedFact(type, data as StartedData, base);
    case 'released':
      return releasedFact(data as ReleasedData, base);
    case 'lease-renewal-failed':
      return renewalFact(data as LeaseRenewalFailedData, base);
    case 'succeeded':
      return succeededFact(data as SucceededData, base);
    case 'failed':
      return failedFact(data as FailedData, base);
    case 'cancelled':
      return cancelledFact(data as CancelledData, base);
  }
}

function queuedFact(data: QueuedData, base: FactBase): WireFact {
  const fact: Of<'queued'> = { type: 'queued', source: base.source, id: base.id };
  if (base.timeMs !== undefined) fact.timeMs = base.timeMs;
  setTrace(fact, base);
  if (data.kind !== undefined) fact.kind = data.kind;
  if (data.payload !== undefined) fact.payload = data.payload as BodyRef;
  else if (data.payloadRef !== undefined) fact.payload = { ref: data.payloadRef };
  if (data.maxRetries !== undefined) fact.maxRetries = data.maxRetries;
  const notBeforeMs = data.notBefore === undefined ? undefined : parseRfc3339(data.notBefore);
  if (notBeforeMs !== undefined) fact.notBeforeMs = notBeforeMs;
  if (data.timeoutMs !== undefined) fact.timeoutMs = Math.round(data.timeoutMs);
  if (data.invalidates !== undefined) fact.invalidates = invalidatesOf(data.invalidates);
  return fact;
}

function startedFact(type: 'started' | 'claimed', data: StartedData, base: FactBase): WireFact {
  const fact: Started = { type, ...attemptBase(data, base), worker: workerOf(data.worker) };
  if (data.leaseMs !== undefined) fact.leaseMs = Math.round(data.leaseMs);
  return fact;
}

function releasedFact(data: ReleasedData, base: FactBase): WireFact {
  const fact: Of<'released'> = { type: 'released', ...attemptBase(data, base) };
  if (data.reason !== undefined) fact.reason = data.reason;
  return fact;
}

function renewalFact(data: LeaseRenewalFailedData, base: FactBase): WireFact {
  return { type: 'lease-renewal-failed', ...attemptBase(data, base), reason: data.reason };
}

function succeededFact(data: SucceededData, base: FactBase): WireFact {
  const fact: Of<'succeeded'> = { type: 'succeeded', ...attemptBase(data, base) };
  if (data.durationMs !== undefined) fact.durationMs = Math.round(data.durationMs);
  if (data.invalidates !== undefined) fact.invalidates = invalidatesOf(data.invalidates);
  return fact;
}

function failedFact(data: FailedData, base: FactBase): WireFact {
  const { error, retryable = true } = data;
  const fact: Of<'failed'> = { type: 'failed', ...attemptBase(data, base), error: errorOf(error), retryable };
  if (data.durationMs !== undefined) fact.durationMs = Math.round(data.durationMs);
  if (data.retryAfterMs !== undefined) fact.retryAfterMs = Math.round(data.retryAfterMs);
  if (data.payloadSnapshot !== undefined) fact.snapshot = data.payloadSnapshot as BodyRef;
  return fact;
}

function cancelledFact(data: CancelledData, base: FactBase): WireFact {
  const fact: Of<'cancelled'> = { type: 'cancelled', source: base.source, id: base.id };
  if (base.timeMs !== undefined) fact.timeMs = base.timeMs;
  setTrace(fact, base);
  if (data.attempt !== undefined) fact.attempt = data.attempt;
  if (data.reason !== undefined) fact.reason = data.reason;
  if (data.by !== undefined) fact.by = data.by;
  return fact;
}

/** One attempt's heartbeat; `data` may be a job of a worker's heartbeat, with the worker beside it. */
export function wireHeartbeat(data: Omit<HeartbeatData, 'queue'>, base: FactBase): WireHeartbeat {
  const beat: Draft<WireHeartbeat> = { type: 'heartbeat', ...attemptBase(data, base) };
  if (data.leaseMs !== undefined) beat.leaseMs = Math.round(data.leaseMs);
  if (data.progress !== undefined) beat.progress = data.progress;
  return beat;
}

interface OfAttempt {
  readonly attempt?: number;
  readonly token?: number;
  readonly worker?: Worker;
}
interface AttemptBase {
  source: string;
  id: string;
  attempt: number;
  timeMs?: number;
  traceparent?: string;
  tracestate?: string;
  token?: number;
  worker?: Worker;
}

function attemptBase(data: OfAttempt, base: FactBase): AttemptBase {
  const fields: AttemptBase = { source: base.source, id: base.id, attempt: data.attempt ?? 1 };
  if (base.timeMs !== undefined) fields.timeMs = base.timeMs;
  setTrace(fields, base);
  if (data.token !== undefined) fields.token = data.token;
  if (data.worker !== undefined) fields.worker = workerOf(data.worker);
  return fields;
}

function setTrace(fact: { traceparent?: string; tracestate?: string }, { traceparent, tracestate }: FactBase): void {
  if (traceparent === undefined) return;
  fact.traceparent = traceparent;
  if (tracestate !== undefined) fact.tracestate = tracestate;
}

/** Only the known fields: extras stay in the stored data, and out of the row. */
export function workerOf(worker: Worker): Worker {
  const known: Draft<Worker> = { id: worker.id };
  if (worker.incarnation !== undefined) known.incarnation = worker.incarnation;
  if (worker.revision !== undefined) known.revision = worker.revision;
  if (worker.track !== undefined) known.track = worker.track;
  return known;
}

function errorOf(error: FailedData['error']): ErrorSummary {
  const summary: Draft<ErrorSummary> = { class: error.class, message: error.message };
  if (error.code !== undefined) summary.code = error.code;
  if (error.responseStatus !== undefined) summary.responseStatus = error.responseStatus;
  if (error.stack !== undefined) summary.stack = error.stack as unknown as BodyRef;
  return summary;
}

function invalidatesOf(invalidates: { keys?: string[]; tags?: string[] }): Invalidates {
  return { keys: invalidates.keys ?? [], tags: invalidates.tags ?? [] };
}
