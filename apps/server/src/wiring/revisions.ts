import { recordsOf, RevisionCalls, RevisionQuarantine, runsThatRefuse, type LaneClock, type PolicySource, type ReadModels, type RevisionScope } from '#libs/application';
import { PgOutcomeStore, PgRefusedRevisionStore, PgRevisionReads, type Database } from '#libs/postgres';
import type { Revisions } from '../services.js';

export interface RevisionsParts {
  readonly writes: Database;
  readonly reads: Database;
  readonly policies: PolicySource;
  readonly clock: LaneClock;
  readonly readModels: Pick<ReadModels, 'queues' | 'incidents'>;
}

const DAY_MS = 86_400_000;

/** Releases that are out of service. */
export function buildRevisions({ writes, reads, policies, clock, readModels }: RevisionsParts): Revisions {
  const store = new PgRefusedRevisionStore(writes);
  const seen = new PgRevisionReads(reads);
  const quarantine = new RevisionQuarantine({ store, reads: seen, policies, clock, nowMs: () => performance.now() });
  const queueIsKnown = async (namespace: string, queue: string) => (await readModels.queues.one(namespace, queue)) !== null;
  const refusing = (scope: RevisionScope) => runsThatRefuse(readModels.incidents, scope);
  const outcomes = new PgOutcomeStore(reads);
  const records = async (namespace: string, queue: string | null) => {
    const untilMs = (await outcomes.nowMs()) + 1;
    const queues = queue === null ? {} : { queues: [{ namespace, queue }] };
    return recordsOf(await outcomes.rates({ sinceMs: untilMs - DAY_MS, untilMs, ...queues }), namespace, queue);
  };
  return { quarantine, store, reads: seen, records, calls: new RevisionCalls({ quarantine, reads: seen, records, queueIsKnown, runsThatRefuse: refusing }) };
}
