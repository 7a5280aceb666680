import { readTrace, type EnqueueCommandData, type TraceContext } from '@jobwarden/client';
import { unpacked } from './carried.js';
import { runId } from './run-id.js';

/** The part of a pg-boss job that says which attempt of which run it is. */
export interface Counted {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
  readonly createdOn: Date;
  readonly retryCount: number;
  /** Of its last start; null: there was none. */
  readonly startedOn: Date | null;
}

/** One start of a pg-boss job, as Jobwarden sees it. */
export interface Start {
  readonly queue: string;
  /** Jobwarden's job id. */
  readonly jobId: string;
  readonly attempt: number;
  /** The command's, while this is still the attempt that it asked for. */
  readonly token?: number;
  readonly command?: EnqueueCommandData;
  /** As the producer gave it. */
  readonly payload: unknown;
  /** Of whoever queued it; null: the row does not say. */
  readonly trace: TraceContext | null;
  /** A producer's own job in its first attempt: whoever begins it may tell that it was queued. */
  readonly first: boolean;
}

/** The start that a row has had last. */
export function startOf(row: Counted): Start {
  return startAt(row, row.retryCount);
}

/** The start that a row will have when it is fetched next. */
export function nextStartOf(row: Counted): Start {
  return startAt(row, nextRetryCount(row));
}

/** pg-boss counts each start but a row's first. */
export function nextRetryCount({ retryCount, startedOn }: Pick<Counted, 'retryCount' | 'startedOn'>): number {
  return startedOn === null ? retryCount : retryCount + 1;
}

/** pg-boss counts the retries of a row; where an attempt was carried into it, they count on from that one. */
function startAt(row: Counted, retryCount: number): Start {
  const { carried, payload, trace } = unpacked(row);
  if (carried === null) {
    const jobId = runId({ nativeId: row.id, createdMs: row.createdOn.getTime() });
    return { queue: row.name, jobId, attempt: retryCount + 1, payload, trace, first: retryCount === 0 };
  }
  const { jobId, queue = row.name, attempt, token, command } = carried;
  const more = Math.max(0, retryCount - carried.retryCount);
  return {
    ...{ queue, jobId, payload, first: false, attempt: attempt + more },
    trace: trace ?? readTrace(command?.trace?.traceparent, command?.trace?.tracestate),
    ...(more === 0 && token !== undefined && { token }),
    ...(more === 0 && command !== undefined && { command }),
  };
}
