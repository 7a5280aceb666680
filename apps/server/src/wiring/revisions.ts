import { RevisionCalls, RevisionQuarantine, type LaneClock, type PolicySource, type ReadModels } from '#libs/application';
import { PgRefusedRevisionStore, PgRevisionReads, type Database } from '#libs/postgres';
import type { Revisions } from '../services.js';

export interface RevisionsParts {
  readonly writes: Database;
  readonly reads: Database;
  readonly policies: PolicySource;
  readonly clock: LaneClock;
  readonly readModels: Pick<ReadModels, 'queues'>;
}

/** Releases that are out of service. */
export function buildRevisions({ writes, reads, policies, clock, readModels }: RevisionsParts): Revisions {
  const store = new PgRefusedRevisionStore(writes);
  const seen = new PgRevisionReads(reads);
  const quarantine = new RevisionQuarantine({ store, reads: seen, policies, clock, nowMs: () => performance.now() });
  const queueIsKnown = async (namespace: string, queue: string) => (await readModels.queues.one(namespace, queue)) !== null;
  return { quarantine, store, reads: seen, calls: new RevisionCalls({ quarantine, reads: seen, queueIsKnown }) };
}
