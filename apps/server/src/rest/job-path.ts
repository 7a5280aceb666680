import { iso, type JobSummaryRow } from '#libs/application';
import { Problem } from '../http/problem.js';

/**
 * A job by its path, and by `?queue=&id=`: clients resolve `.` and `..` in a path before they send it, and some undo
 * `%2F`, so there are ids that no path carries.
 */
export const JOB_PATHS = ['v1/queues/:queue/jobs/:id', 'v1/jobs/one'];

export const JOB_PARAMS = { queue: 'Queue of the job.', id: 'Id of the job.' } as const;

/** Gone, and known to have been there. */
export function retired({ ref, status, attempt, token, sinceMs }: JobSummaryRow): Problem {
  const summary = { ...ref, status, attempt, token, since: iso(sinceMs) };
  return new Problem(410, 'retired', 'The job lies below the retention line: its log is gone.', {
    members: { summary },
  });
}
