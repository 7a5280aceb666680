import { readTrace, type EnqueueCommandData, type TraceContext } from '@jobwarden/client';

/**
 * What we write into the `data` of a row that we put aside, put back or add, under the name {@link CARRIED}: pg-boss has no
 * other place that is free. Handlers never see it. The rows of producers stay as they are until then.
 */
export interface Carried {
  /** Id of the row it was written for: a dead letter queue gets a copy of `data`, and that is another job. */
  readonly row: string;
  /** Jobwarden's job id. */
  readonly jobId: string;
  /** Jobwarden's name of the queue, where it is another: the job was handed to a fallback queue. */
  readonly queue?: string;
  /** Of the row's next start; later ones count on from there. */
  readonly attempt: number;
  /** What pg-boss's count of retries is at that start. */
  readonly retryCount: number;
  /** Of that start alone. */
  readonly token?: number;
  /** What came with the command. */
  readonly command?: EnqueueCommandData;
  /** Of whoever queued the job. */
  readonly trace?: TraceContext;
  /** Where the payload is no object with keys, it cannot have the name. */
  readonly payload?: { readonly value: unknown };
}

export const CARRIED = '$jobwarden';
/** The producer's trace context, in a row of its own that nothing else is written into. */
export const TRACED = '$jobwardenTrace';

/** The data of a producer's row with its trace context in it. As it is where that would make another payload of it. */
export function withTrace(data: unknown, trace: TraceContext | null): unknown {
  if (trace === null) return data;
  if (data === undefined || data === null) return { [TRACED]: trace };
  if (!isPlain(data) || CARRIED in data || TRACED in data || Object.keys(data).length === 0) return data;
  return { ...data, [TRACED]: trace };
}

export function withCarried(payload: unknown, carried: Carried): object {
  if (isPlain(payload) && Object.keys(payload).length > 0) return { ...payload, [CARRIED]: carried };
  return { [CARRIED]: payload === undefined || payload === null ? carried : { ...carried, payload: { value: payload } } };
}

/** Data that we have written something into: that of an attempt which a command puts back. */
export function isOurs(data: unknown): boolean {
  return isPlain(data) && CARRIED in data;
}

/** What a row carries, null where it is a producer's own, and the payload as its producer gave it. */
export function unpacked({ id, data }: { readonly id: string; readonly data: unknown }): Unpacked {
  if (!isPlain(data)) return { carried: null, payload: data, trace: null };
  const { [CARRIED]: found, ...rest } = data;
  if (!isPlain(found) || typeof found['jobId'] !== 'string' || typeof found['row'] !== 'string') return { carried: null, ...untraced(data) };
  const written = found as unknown as Carried;
  const carried = written.row === id ? written : null;
  const { payload, trace } = untraced(rest);
  if (written.payload !== undefined) return { carried, payload: written.payload.value, trace: written.trace ?? trace };
  return { carried, payload: Object.keys(rest).length === 0 ? null : payload, trace: written.trace ?? trace };
}

export interface Unpacked {
  readonly carried: Carried | null;
  readonly payload: unknown;
  readonly trace: TraceContext | null;
}

/** Without the trace context, which is no part of the payload. */
export function untraced(data: unknown): { readonly payload: unknown; readonly trace: TraceContext | null } {
  if (!isPlain(data) || !(TRACED in data)) return { payload: data, trace: null };
  const { [TRACED]: found, ...rest } = data;
  const trace = isPlain(found) ? readTrace(found['traceparent'], found['tracestate']) : null;
  return { payload: Object.keys(rest).length === 0 ? null : rest, trace };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
