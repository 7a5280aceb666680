import {
  FactWriter,
  Heartbeats,
  Ingest,
  LANE_HTTP,
  type EvidenceDesk,
  type FactItem,
  type FactOutcome,
  type IngestOptions,
  type LogStore,
  type PolicySource,
  type QuarantineStore,
  type ReplayEvents,
  type RevisionGate,
} from '#libs/application';
import type { IngestResult, ParseContext, QuarantineReason } from '#libs/contracts';
import type { Metrics } from '#libs/observability';
import {
  PgLeaseStore,
  PgQuarantineStore,
  PgQueueStateStore,
  workerKey,
  type Database,
  type QueueIds,
} from '#libs/postgres';
import { TimelyCommit } from './timely-commit.js';

/** As long as the pool itself makes anybody wait for a connection. */
const ACQUIRE_MS = 2_000;

export interface IntakeParts {
  readonly database: Database;
  readonly queueIds: QueueIds;
  readonly log: LogStore;
  readonly policies: PolicySource;
  readonly context: () => ParseContext;
  readonly metrics: Metrics;
  readonly revisions: RevisionGate;
  readonly evidence: Pick<EvidenceDesk, 'wanted'>;
}

export interface BuiltIntake {
  readonly ingest: { ingest(inputs: readonly unknown[], options: IngestOptions): Promise<readonly IngestResult[]> };
  readonly quarantine: QuarantineStore;
  readonly replay: ReplayEvents;
}

/** The way in over HTTP, counted. */
export function buildIntake(parts: IntakeParts): BuiltIntake {
  const { log, policies, context, metrics, revisions, evidence } = parts;
  const writer = new FactWriter(log, policies, LANE_HTTP);
  const { quarantine, ...stores } = intakeStores(parts);
  const shared = {
    ...stores,
    facts: new TimelyCommit<FactItem, FactOutcome>(async (items) => await writer.append(items), ACQUIRE_MS),
    context,
    revisions,
    evidence,
  };
  const ingest = new Ingest({ ...shared, quarantine });
  // What is replayed lies in quarantine already, and stays there when it fails again.
  const again = new Ingest({ ...shared, quarantine: { put: () => Promise.resolve() } });
  return {
    ingest: {
      async ingest(inputs, options) {
        const results = await ingest.ingest(inputs, options);
        for (const { outcome } of results) metrics.ingested.add({ outcome });
        return results;
      },
    },
    quarantine,
    replay: async (events, { lane, origin, texts }) => await again.ingest(events, { lane, origin, texts, namespaces: null }),
  };
}

/** Where everything but facts goes, on the pool of one way in. */
export function intakeStores({ database, queueIds, log, policies, metrics }: Omit<IntakeParts, 'context' | 'revisions' | 'evidence'>) {
  return {
    heartbeats: new Heartbeats(log, new PgLeaseStore(database), policies, LANE_HTTP),
    quarantine: counted(new PgQuarantineStore(database), metrics),
    queueStates: new PgQueueStateStore(database, queueIds),
    workerKey: (namespace: string, worker: Parameters<typeof workerKey>[1]) =>
      workerKey(namespace, worker).toString('hex'),
  };
}

function counted(store: QuarantineStore, metrics: Metrics): QuarantineStore {
  return {
    async put(entries) {
      await store.put(entries);
      for (const { reason } of entries) metrics.quarantined.add({ reason: reason as QuarantineReason });
    },
  };
}
