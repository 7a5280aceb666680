import {
  LaneCalls,
  LanesRead,
  type Failpoint,
  type Incidents,
  type LaneClock,
  type LogStore,
  type PolicySource,
  type ReadModels,
} from '#libs/application';
import type { Environment } from '#libs/config';
import type { ParseContext } from '#libs/contracts';
import { KafkaPartitions, type ClientLog, type KafkaSettings } from '#libs/kafka';
import type { Metrics } from '#libs/observability';
import { PgLaneDesk, type Database } from '#libs/postgres';
import type { Logger } from 'pino';
import { clientLog, kafkaSettings } from '../kafka/settings.js';
import type { Databases } from './databases.js';
import { KafkaIn } from './kafka-in.js';
import { KafkaOut } from './kafka-out.js';

export interface KafkaParts {
  readonly environment: Environment;
  readonly databases: Databases;
  readonly replicaId: string;
  readonly logOf: (database: Database) => LogStore;
  readonly policies: PolicySource;
  readonly context: () => ParseContext;
  readonly reads: ReadModels;
  readonly clock: Pick<LaneClock, 'read'>;
  readonly clockMode: 'real' | 'manual';
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly incidents: Incidents;
}

export interface BuiltKafka {
  /** Operators' calls; without brokers they can only give lanes up. */
  readonly calls: LaneCalls;
  /** What a manual clock waits for; null without brokers. */
  readonly lanesRead: LanesRead | null;
  /** Both of the role `work`, where there are brokers. */
  readonly kafkaIn: KafkaIn | null;
  readonly kafkaOut: KafkaOut | null;
}

export function buildKafka(parts: KafkaParts): BuiltKafka {
  const { environment, databases, replicaId, reads, clock, log } = parts;
  const lanes = { desk: new PgLaneDesk(databases.writes), reads: reads.workers, clock };
  if (environment.kafka === null) {
    return { calls: new LaneCalls({ ...lanes, source: null }), lanesRead: null, kafkaIn: null, kafkaOut: null };
  }
  const settings = kafkaSettings(environment.kafka);
  const client = { settings, clientId: `jobwarden-${replicaId.slice(0, 8)}`, clientLog: clientLog(log) };
  const source = new KafkaPartitions(settings, client.clientId, client.clientLog);
  const works = environment.roles.includes('work');
  const kafkaOut = works ? new KafkaOut({ ...client, environment: environment.kafka, log }) : null;
  return {
    calls: new LaneCalls({ ...lanes, source }),
    lanesRead: new LanesRead({ reads: reads.workers, source }),
    kafkaIn: kafkaOut === null ? null : buildIn(parts, client, kafkaOut.topicsLooked),
    kafkaOut,
  };
}

interface Client {
  readonly settings: KafkaSettings;
  readonly clientId: string;
  readonly clientLog: ClientLog;
}

function buildIn(parts: KafkaParts, client: Client, topicsLooked: Promise<void>): KafkaIn {
  const { environment, databases, policies, context, metrics, log, clockMode, failpoint, incidents } = parts;
  const database = databases.lanes;
  return new KafkaIn({
    ...client,
    database,
    log: parts.logOf(database),
    policies,
    context,
    metrics,
    logger: log,
    clockMode,
    failpoint,
    incidents,
    sessionTimeoutMs: environment.kafka?.sessionTimeoutMs ?? 30_000,
    topicsLooked,
  });
}

/** Their verdicts wait for a reader that nobody is: said once, since nothing else would say why. */
export async function warnOfUnreadLanes(reads: Pick<ReadModels, 'workers'>, log: Logger): Promise<void> {
  const lanes = (await reads.workers.lanes()).filter(({ name, holds }) => holds && name.startsWith('kafka/'));
  if (lanes.length === 0) return;
  log.warn(
    { lanes: lanes.map(({ name }) => name) },
    'events once came by Kafka, and no brokers are set: verdicts wait for those lanes. Set JOBWARDEN_KAFKA_BROKERS, or give the lanes up with POST /v1/lanes/retire',
  );
}
