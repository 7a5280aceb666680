import { iso, type JobSummaryRow } from '#libs/application';
import type { JobRef } from '#libs/domain';
import { notFound, Problem } from '../http/problem.js';

/**
 * A job by its path, and by `?queue=&id=`: clients resolve `.` and `..` in a path before they send it, and some undo
 * `%2F`, so there are ids that no path carries.
 */
export const JOB_PATHS = ['v1/queues/:queue/jobs/:id', 'v1/jobs/one'];

export const JOB_PARAMS = { queue: 'Queue of the job.', id: 'Id of the job.' } as const;

export function unknownJob({ queue, id }: JobRef): Problem {
  return notFound('job_unknown', `There is no job ${JSON.stringify(id)} in queue ${JSON.stringify(queue)}.`);
}

/** Gone, and known to have been there. */
export function retired({ ref, status, attempt, token, sinceMs }: JobSummaryRow): Problem {
  const summary = { ...ref, status, attempt, token, since: iso(sinceMs) };
  return new Problem(410, 'retired', 'The job lies below the retention line: its log is gone.', {
    members: { summary },
  });
}
