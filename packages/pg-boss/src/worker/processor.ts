import type { Job } from 'pg-boss';
import { runJob, type JobHandler, type Running } from './run-job.js';

/** What `boss.work` takes: it gets arrays, whose jobs run side by side and end each on its own. */
export function processor<D, R>(running: Running, handler: JobHandler<D, R>): (jobs: Job<D>[]) => Promise<R | undefined> {
  return async (jobs) => {
    const [only] = jobs;
    if (only !== undefined) await running.checked(only.name);
    if (only !== undefined && jobs.length === 1) return (await runJob(running, only, handler as JobHandler)) as R | undefined;
    await Promise.all(jobs.map((job) => endOnItsOwn(running, job, handler as JobHandler)));
    return undefined;
  };
}

/** pg-boss would fail the whole batch for one of them. What has ended by now is not touched when it ends the batch. */
async function endOnItsOwn(running: Running, job: Job<unknown>, handler: JobHandler): Promise<void> {
  const { boss } = running;
  let value: unknown;
  try {
    value = await runJob(running, job, handler);
  } catch (error) {
    await boss.fail(job.name, job, error instanceof Error ? error : { message: String(error) });
    return;
  }
  await boss.complete(job.name, job, value as object | null);
}
