import type { JobFact, QueuedData } from '@jobwarden/client';
import type { JobWithMetadata } from 'pg-boss';
import { untraced } from '../carried.js';
import { runId } from '../run-id.js';

export type Row = Pick<JobWithMetadata<unknown>, 'id' | 'name' | 'data' | 'createdOn' | 'startAfter' | 'retryLimit'>;

/** Whoever tells it, says it under this name: a second teller's is a duplicate. */
const SOURCE = 'pg-boss';
const MOST_RETRIES = 100;
/** pg-boss takes both times from one clock, and the row may be written a moment later. */
const DELAYED_MS = 1_000;

/** `queued` of a job that has not been retried, from its row alone, so that told twice it is a duplicate. */
export function queuedFact({ id, name, data, createdOn, startAfter, retryLimit }: Row): JobFact & { readonly type: 'queued' } {
  const delayed = startAfter.getTime() > createdOn.getTime() + DELAYED_MS;
  const { payload, trace } = untraced(data);
  const said: QueuedData = {
    ...(payload !== null && payload !== undefined && { payload }),
    ...(retryLimit > 0 && { maxRetries: Math.min(MOST_RETRIES, retryLimit) }),
    ...(delayed && { notBefore: startAfter.toISOString() }),
  };
  const jobId = runId({ nativeId: id, createdMs: createdOn.getTime() });
  return { type: 'queued', id: 'queued', source: SOURCE, queue: name, jobId, time: createdOn, data: said, ...trace };
}
