import type { JobDetail } from './job-queries';

export type JobCall = 'restart' | 'cancel' | 'redrive' | 'resolve' | 'discard' | 'limits' | 'erase';

/** What the service would do where the job stands; what it would refuse is not offered. The likeliest first. */
export function callsOf({ status, erased }: Pick<JobDetail, 'status' | 'erased'>): readonly JobCall[] {
  const runnable = erased === undefined;
  switch (status) {
    case 'succeeded':
      return ['erase'];
    case 'dead-lettered':
      return [...(runnable ? (['redrive'] as const) : []), 'resolve', 'discard', 'erase'];
    case 'cancelled':
    case 'discarded':
      return [...(runnable ? (['redrive'] as const) : []), 'erase'];
    case 'processing':
    case 'queued':
    case 'requeued':
      return [...(runnable ? (['restart'] as const) : []), 'cancel', 'resolve', 'discard', 'limits', 'erase'];
    default:
      return ['cancel', 'resolve', 'discard', 'limits', 'erase'];
  }
}

/** Of this job's page a link to where a payload is changed: the dead letter's. */
export const mayPatch = (job: JobDetail): boolean => job.status === 'dead-lettered' && job.erased === undefined && job.payload !== undefined;
