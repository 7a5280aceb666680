import { createHash } from 'node:crypto';
import type { JobFact, Worker } from '@jobwarden/client';
import { workerOfToken } from '../keys.js';
import { parsed, type NativeJob } from './native-job.js';
import { attemptOf, type Run } from './run.js';

/**
 * What the tap says. Ids and data are functions of what stands in Redis, so that a second tap, or the same one after a
 * restart, says the same again, which is a duplicate and does no harm. What two looks can see differently (a worker whose
 * lock is gone, a stack that was dropped) has a hash of the data in its id: a second start or failure of an attempt adds
 * nothing that would be wrong. `queued` and `succeeded` must not come twice under two ids, so they hold only what stays.
 */
export type TapFact = JobFact;

export interface FactContext {
  readonly queue: string;
  /** Send payloads. */
  readonly payload: boolean;
}

export function queuedFact({ queue, payload }: FactContext, run: Run, kind: string, job: NativeJob | null): TapFact {
  const { createdMs, jobId } = run;
  const notBeforeMs = job !== null && job.delayMs > 0 ? createdMs + job.delayMs : null;
  const data = payload && job !== null ? parsed(job.data) : undefined;
  return {
    ...{ type: 'queued', queue, jobId, id: 'queued', time: instant(createdMs) },
    data: {
      ...(kind !== '' && { kind: cut(kind, 255) }),
      ...(notBeforeMs !== null && { notBefore: instant(notBeforeMs).toISOString() }),
      ...(data !== undefined && { payload: data }),
    },
  };
}

export function startedFact({ queue }: FactContext, run: Run, atMs: number): TapFact {
  const data = { attempt: attemptOf(run), worker: run.worker };
  return { type: 'started', queue, jobId: run.jobId, id: variant('started', data), time: instant(atMs), data };
}

/** The lock says who: its token begins with the id of the worker's instance, new with each start of the process. */
export function workerOf(queue: string, run: Run, job: NativeJob | null): Worker {
  const incarnation = run.token === null ? null : (workerOfToken(run.token) ?? run.token);
  const id = job?.workerName ?? incarnation ?? `bullmq/${queue}`;
  return { id: cut(id, 255), ...(incarnation !== null && incarnation !== id && { incarnation: cut(incarnation, 255) }) };
}

export function succeededFact({ queue }: FactContext, run: Run, { atMs, durationMs }: { readonly atMs: number; readonly durationMs: number | null }): TapFact {
  const attempt = attemptOf(run);
  return {
    ...{ type: 'succeeded', queue, jobId: run.jobId, id: `succeeded/${String(attempt)}`, time: instant(Math.max(atMs, run.startedMs)) },
    data: { attempt, ...(durationMs !== null && durationMs >= 0 && { durationMs }) },
  };
}

export interface Failure {
  readonly atMs: number;
  readonly reason: string | null;
  readonly stack: string | null;
  /** BullMQ gave the job up. */
  readonly final: boolean;
  /** Of a retry, ms. */
  readonly retryAfterMs?: number;
}

export function failedFact({ queue }: FactContext, run: Run, { atMs, reason, stack, final, retryAfterMs }: Failure): TapFact {
  const attempt = attemptOf(run);
  const error = {
    class: cut(/^(?:Uncaught )?([A-Za-z_$][\w$.]*)(?::|$)/mu.exec(stack?.split('\n', 1)[0] ?? '')?.[1] ?? 'Error', 255),
    message: reason ?? stack?.split('\n', 1)[0] ?? 'not known: the job was gone before it could be read',
    ...(stack !== null && { stack }),
  };
  const data = {
    ...{ attempt, error, retryable: !final },
    ...(retryAfterMs !== undefined && retryAfterMs > 0 && { retryAfterMs }),
  };
  const time = instant(Math.max(atMs, run.startedMs));
  return { type: 'failed', queue, jobId: run.jobId, id: variant('failed', data), time, data };
}

/** Of a lock that lives: the lease ends when the lock does. */
export function beatFact({ queue }: FactContext, run: Run, leaseMs: number): TapFact {
  const { progress, worker } = run;
  const data = { attempt: attemptOf(run), worker, leaseMs, ...(progress !== undefined && { progress }) };
  return { type: 'heartbeat', queue, jobId: run.jobId, data };
}

export function goneFact({ queue }: FactContext, run: Run, reason: string, atMs: number): TapFact {
  const time = instant(atMs);
  return { type: 'cancelled', queue, jobId: run.jobId, id: 'gone', time, data: { reason, by: 'bullmq' } };
}

function variant(type: string, data: { readonly attempt: number }): string {
  const hash = createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 12);
  return `${type}/${String(data.attempt)}/${hash}`;
}

function instant(ms: number): Date {
  return new Date(Math.min(Math.max(ms, 0), 8.64e15));
}

/** To so many bytes of UTF-8, and never in the middle of a character. */
function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  return new TextDecoder('utf-8', { fatal: false }).decode(Buffer.from(text).subarray(0, bytes)).replace(/\uFFFD+$/u, '');
}
