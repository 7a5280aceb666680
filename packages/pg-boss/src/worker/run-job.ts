import type { JobFact } from '@jobwarden/client';
import type { Job as Attempt, RunSpec } from '@jobwarden/worker';
import type { Job, JobWithMetadata } from 'pg-boss';
import type { Owner } from '../owners/conflict.js';
import { queuedFact } from '../producer/queued.js';
import { rowOf, type Row } from '../row.js';
import { startOf } from '../start.js';
import { noteVerdict } from './classify.js';
import { endNatively, type Ending } from './end-natively.js';

/**
 * Runs one job. `attempt.token` goes to whatever the job writes to; `attempt.signal`, which is the job's `signal` too, is aborted
 * when the attempt is not wanted any more. What it returns is pg-boss's `output`.
 */
export type JobHandler<D = unknown, R = unknown> = (job: JobWithMetadata<D>, attempt: Attempt<D>) => Promise<R> | R;

export interface Running extends Ending {
  readonly owner: Owner;
  readonly tell: (fact: JobFact) => void;
  /** Rejects where two would recover the queue; asked once per queue. */
  readonly checked: (queue: string) => Promise<void>;
}

/** One start of a native job: which attempt it is, run under its lease, ended in pg-boss as it ended for Jobwarden. */
export async function runJob(running: Running, fetched: Job<unknown>, handler: JobHandler): Promise<unknown> {
  const row = await withMetadata(running, fetched);
  const start = startOf(row);
  const { queue, jobId, attempt, token, command, payload, trace } = start;
  if (start.first) running.tell(queuedFact(row));
  const spec: RunSpec = {
    ...{ queue, id: jobId, attempt, payload, signal: row.signal },
    ...(token !== undefined && { token }),
    ...(command !== undefined && { command }),
    ...trace,
  };
  const result = await running.runner.run(spec, async (of) => {
    try {
      return await handler({ ...row, data: of.payload, signal: of.signal }, of);
    } catch (error) {
      if (running.owner === 'queue') noteVerdict(error, row.retryCount < row.retryLimit);
      throw error;
    }
  });
  return await endNatively(running, { row, start }, result);
}

/** `work` without `includeMetadata` does not say when a job was created, and its run id is made of that. */
async function withMetadata({ boss }: Running, job: Job<unknown>): Promise<Row> {
  if ('createdOn' in job) return job as Row;
  const row = await rowOf(boss, job.name, job.id);
  if (row === null) throw new Error(`job ${job.id} of "${job.name}" is gone from pg-boss`);
  return { ...row, ...job };
}
