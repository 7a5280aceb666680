import { bytesOver, type Limits } from '../limits.js';
import { isObject, type JsonObject } from '../json.js';
import type { EventType, WireEvent } from './event-types.js';
import { tooLarge, type Fault } from './fault.js';

/** Limits that a schema cannot say: they are configured, and count bytes. First violation, or undefined. */
export function sizeFault(event: WireEvent, kind: EventType['kind'], limits: Limits): Fault | undefined {
  const subjectLimit =
    kind === 'worker-heartbeat' ? 'fieldBytes' : kind === 'queue-state' ? 'queueBytes' : 'jobIdBytes';
  return (
    long(event.subject, 'subject', subjectLimit, limits) ??
    long(event.source, 'source', 'sourceBytes', limits) ??
    long(event.id, 'id', 'eventIdBytes', limits) ??
    long(event.namespace, 'namespace', 'namespaceBytes', limits) ??
    dataFault(event.data, kind, limits)
  );
}

function dataFault(data: JsonObject, kind: EventType['kind'], limits: Limits): Fault | undefined {
  switch (kind) {
    case 'worker-heartbeat':
      return workerFault(data['worker'], limits) ?? jobsFault(data['jobs'], limits) ?? runtimeFault(data['runtime'], limits);
    case 'queue-state':
      return duration(data['oldestAgeMs'], 'data.oldestAgeMs', limits);
    case 'queued':
      return (
        long(data['queue'], 'data.queue', 'queueBytes', limits) ??
        long(data['kind'], 'data.kind', 'fieldBytes', limits) ??
        long(data['payloadRef'], 'data.payloadRef', 'textBytes', limits) ??
        duration(data['timeoutMs'], 'data.timeoutMs', limits) ??
        invalidatesFault(data['invalidates'], limits)
      );
    default:
      return (
        long(data['queue'], 'data.queue', 'queueBytes', limits) ??
        workerFault(data['worker'], limits) ??
        duration(data['leaseMs'], 'data.leaseMs', limits) ??
        duration(data['durationMs'], 'data.durationMs', limits) ??
        duration(data['retryAfterMs'], 'data.retryAfterMs', limits) ??
        long(data['reason'], 'data.reason', 'textBytes', limits) ??
        long(data['by'], 'data.by', 'fieldBytes', limits) ??
        errorFault(data['error'], limits) ??
        invalidatesFault(data['invalidates'], limits)
      );
  }
}

function workerFault(worker: unknown, limits: Limits): Fault | undefined {
  if (!isObject(worker)) return undefined;
  return (
    long(worker['id'], 'data.worker.id', 'fieldBytes', limits) ??
    long(worker['incarnation'], 'data.worker.incarnation', 'fieldBytes', limits) ??
    long(worker['revision'], 'data.worker.revision', 'fieldBytes', limits) ??
    long(worker['track'], 'data.worker.track', 'fieldBytes', limits)
  );
}

function errorFault(error: unknown, limits: Limits): Fault | undefined {
  if (!isObject(error)) return undefined;
  return (
    long(error['class'], 'data.error.class', 'fieldBytes', limits) ??
    long(error['code'], 'data.error.code', 'fieldBytes', limits)
  );
}

function invalidatesFault(invalidates: unknown, limits: Limits): Fault | undefined {
  if (!isObject(invalidates)) return undefined;
  return each(invalidates['keys'], 'data.invalidates.keys', limits) ?? each(invalidates['tags'], 'data.invalidates.tags', limits);
}

function each(texts: unknown, path: string, limits: Limits): Fault | undefined {
  if (!Array.isArray(texts)) return undefined;
  for (let i = 0; i < texts.length; i += 1) {
    const fault = long(texts[i], `${path}[${i}]`, 'textBytes', limits);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function jobsFault(jobs: unknown, limits: Limits): Fault | undefined {
  if (!Array.isArray(jobs)) return undefined;
  for (let i = 0; i < jobs.length; i += 1) {
    const job = jobs[i] as JsonObject;
    const fault =
      long(job['queue'], `data.jobs[${i}].queue`, 'queueBytes', limits) ??
      long(job['id'], `data.jobs[${i}].id`, 'jobIdBytes', limits) ??
      duration(job['leaseMs'], `data.jobs[${i}].leaseMs`, limits);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function runtimeFault(runtime: unknown, limits: Limits): Fault | undefined {
  if (!isObject(runtime)) return undefined;
  const lag = duration(runtime['loopLagMs'], 'data.runtime.loopLagMs', limits);
  if (lag !== undefined || !Array.isArray(runtime['lockWaits'])) return lag;
  for (const [i, wait] of (runtime['lockWaits'] as JsonObject[]).entries()) {
    const path = `data.runtime.lockWaits[${i}]`;
    const fault =
      long(wait['resource'], `${path}.resource`, 'fieldBytes', limits) ??
      long(wait['holder'], `${path}.holder`, 'fieldBytes', limits) ??
      duration(wait['waitedMs'], `${path}.waitedMs`, limits);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function long(text: unknown, path: string, limit: keyof Limits, limits: Limits): Fault | undefined {
  if (typeof text !== 'string') return undefined;
  const found = bytesOver(text, limits[limit]);
  if (found === undefined) return undefined;
  return tooLarge(path, `has ${found} bytes`, limit, limits[limit], 'shorten it, or raise the limit');
}

function duration(ms: unknown, path: string, limits: Limits): Fault | undefined {
  if (typeof ms !== 'number' || Math.abs(ms) <= limits.durationMs) return undefined;
  return tooLarge(path, `is ${ms} ms`, 'durationMs', limits.durationMs, 'send milliseconds, or raise the limit');
}
