import { activeTrace, type EnqueueCommand, type EnqueueCommandData } from '@jobwarden/client';
import type { QueuedSpec, RunSpec } from '@jobwarden/worker';

/** One attempt of a job, as JSON: for a queue that carries it to whoever runs it. */
export interface JobMessage {
  readonly queue: string;
  /** Jobwarden's job id: one run of one thing. */
  readonly id: string;
  readonly attempt: number;
  /** Of the command that asked for it. The first attempt has none. */
  readonly token?: number;
  readonly kind?: string;
  readonly payload?: unknown;
  readonly payloadRef?: string;
  /** W3C trace context of whoever queued the job. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  /** The queue whose workers are meant, where it is another (`fallbackQueue`). */
  readonly deliverTo?: string;
  /** What else came with the command: reason, previous worker, its progress. */
  readonly command?: EnqueueCommandData;
}

/** The attempt that a command asks for. */
export function commandMessage({ subject: id, traceparent, tracestate, data }: EnqueueCommand): JobMessage {
  const { queue, attempt, token, kind, payload, payloadRef, deliverTo } = data;
  const command = Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'payload')) as unknown as EnqueueCommandData;
  return { queue, id, attempt, token, ...given({ kind, payload, payloadRef, traceparent, tracestate, deliverTo }), command };
}

/** The first attempt of a job, in the trace that is active where the job names none. */
export function firstMessage({ queue, id, kind, payload, payloadRef, traceparent, tracestate }: QueuedSpec): JobMessage {
  const trace = traceparent === undefined ? activeTrace() : { traceparent, tracestate };
  return { queue, id, attempt: 1, ...given({ kind, payload, payloadRef, ...trace }) };
}

/** For `worker.run`. A reference is handed on as it is: only the handler knows where it leads. */
export function specOf({ queue, id, attempt, token, kind, payload, payloadRef, traceparent, tracestate, command }: JobMessage): RunSpec {
  const content = payload === undefined && payloadRef !== undefined ? { payloadRef } : payload;
  return { queue, id, attempt, ...given({ token, kind, payload: content, traceparent, tracestate, command }) };
}

type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Without what is undefined. */
function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}
