import { ClaimJob, type LaneClock, type LogStore, type PolicySource, type QueueGates, type ReadModels, type RevisionQuarantine } from '#libs/application';
import type { Metrics } from '#libs/observability';
import { PgClaimReads, type Database } from '#libs/postgres';
import { countedClaims } from './counted-claims.js';

export interface ClaimsParts {
  readonly writes: Database;
  readonly log: LogStore;
  readonly policies: PolicySource;
  readonly clock: LaneClock;
  readonly gates: QueueGates;
  readonly revisions: RevisionQuarantine;
  readonly reads: Pick<ReadModels, 'jobs'>;
  readonly metrics: Metrics;
}

/** Claims, counted, each under the refusals of releases that this replica goes by. */
export function buildClaims({ writes, log, policies, clock, gates, revisions, reads, metrics }: ClaimsParts): Pick<ClaimJob, 'claim'> {
  const claims = new ClaimJob({ log, policies, clock, gates, revisions, reads: new PgClaimReads(writes), retired: reads.jobs });
  return countedClaims({ claim: (ref, request) => revisions.during(() => claims.claim(ref, request)) }, metrics);
}
