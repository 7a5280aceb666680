import type { ReadModels } from '#libs/application';
import type { Queryable } from '../database.js';
import { PgDeadLetterReads } from '../dead-letters/pg-dead-letter-reads.js';
import { PgIncidentReads } from './incident-reads.js';
import { PgJobReads } from './job-reads.js';
import { PgOutgoingReads } from './outgoing-reads.js';
import { PgQuarantineReads } from './quarantine-reads.js';
import { PgQueueReads } from './queue-reads.js';
import { PgReconciliationReads } from './reconciliation-reads.js';
import { PgShadowReads } from './shadow-reads.js';
import { PgTraceReads } from './trace-reads.js';
import { PgWorkerReads } from './worker-reads.js';

/** Everything that reports read, from one pool. */
export function pgReadModels(database: Queryable): ReadModels {
  return {
    jobs: new PgJobReads(database),
    queues: new PgQueueReads(database),
    workers: new PgWorkerReads(database),
    traces: new PgTraceReads(database),
    reconciliations: new PgReconciliationReads(database),
    quarantine: new PgQuarantineReads(database),
    outgoing: new PgOutgoingReads(database),
    incidents: new PgIncidentReads(database),
    shadow: new PgShadowReads(database),
    deadLetters: new PgDeadLetterReads(database),
  };
}
