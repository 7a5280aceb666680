import type { EnqueueCommandData } from '@jobwarden/client';

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
  /** Where the payload is no object with keys, it cannot have the name. */
  readonly payload?: { readonly value: unknown };
}

export const CARRIED = '$jobwarden';

export function withCarried(payload: unknown, carried: Carried): object {
  if (isPlain(payload) && Object.keys(payload).length > 0) return { ...payload, [CARRIED]: carried };
  return { [CARRIED]: payload === undefined || payload === null ? carried : { ...carried, payload: { value: payload } } };
}

/** What a row carries, null where it is a producer's own, and the payload as its producer gave it. */
export function unpacked({ id, data }: { readonly id: string; readonly data: unknown }): { readonly carried: Carried | null; readonly payload: unknown } {
  if (!isPlain(data)) return { carried: null, payload: data };
  const { [CARRIED]: found, ...rest } = data;
  if (!isPlain(found) || typeof found['jobId'] !== 'string' || typeof found['row'] !== 'string') return { carried: null, payload: data };
  const written = found as unknown as Carried;
  const carried = written.row === id ? written : null;
  if (written.payload !== undefined) return { carried, payload: written.payload.value };
  return { carried, payload: Object.keys(rest).length === 0 ? null : rest };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
