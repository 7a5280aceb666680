import type { JobRef } from '#libs/domain';
import type { JobReads } from '../ports/read-models.port.js';
import type { OperatorOutcome } from './operator-request.js';

/** Of a job that has no row: below the retention line it is known to have been there, otherwise nothing is known of it. */
export async function goneJob(ref: JobRef, reads: Pick<JobReads, 'summary'>): Promise<Extract<OperatorOutcome, { kind: 'not_found' | 'retired' }>> {
  const summary = await reads.summary(ref);
  if (summary === null) return { kind: 'not_found' };
  const { status, attempt, token, sinceMs } = summary;
  return { kind: 'retired', summary: { status, attempt, token, sinceMs } };
}
