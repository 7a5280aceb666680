import { iso, type Conflict, type JobSummaryRow, type OperatorOutcome } from '#libs/application';
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

/** A call on one job of which nothing was done, as everybody is told it. */
export function notDone(ref: JobRef, outcome: Exclude<OperatorOutcome, { kind: 'done' }>): Problem {
  switch (outcome.kind) {
    case 'conflict':
      return conflicts(ref, outcome);
    case 'refused':
      return new Problem(400, outcome.code, outcome.detail);
    case 'not_found':
      return unknownJob(ref);
    case 'retired':
      return retired({ ref, ...outcome.summary });
  }
}

function conflicts(ref: JobRef, { code, detail, status, attempt, n, history }: Conflict): Problem {
  return new Problem(409, code, detail, {
    members: { job: { ...ref, status, attempt, n }, ...(history !== undefined && { history }) },
  });
}
