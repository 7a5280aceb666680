export { createTestDatabase, useTestDatabase, type TestDatabase, type TestDatabaseOptions } from './database.js';
export { pollUntil, waitUntil, type PollOptions } from './poll.js';
export {
  bareEnv,
  cliEntry,
  serverEntry,
  shiftedClock,
  startProcess,
  startServerProcess,
  type ProcessExit,
  type ProcessOptions,
  type TestProcess,
} from './process.js';
export { DEFAULT_POLICY, fixedPolicies } from './policies.js';
export { World, type TestEvent, type TestJob } from './world.js';
export { freePort } from './free-port.js';
export { ServerReplica, type ServerReplicaOptions } from './server-replica.js';
export { startBroker, type Broker } from './kafka/broker.js';
export { startGuarded, type GuardedServer } from './kafka/guarded.js';
export { makeCertificates } from './kafka/certificates.js';
export type { BrokerOptions } from './kafka/plan.js';
export { kafkaClient } from './kafka/client.js';
export { kafkaLeftOut, kafkaMissing } from './kafka/missing.js';
export { sharedBrokers, useTopicPrefix } from './kafka/topics.js';
export { pgBouncerLeftOut, startPgBouncer, type PgBouncer, type PgBouncerOptions } from './pgbouncer.js';
export { alertmanagerLeftOut, startAlertmanager, type Alertmanager } from './alertmanager.js';
export { prometheusLeftOut, startPrometheus, type Prometheus, type PrometheusOptions } from './prometheus.js';
export { postgresFolder, postgresTool, postgresToolsLeftOut, startPostgres, type PostgresServer, type PostgresTool, type ToolRun } from './postgres-tools.js';
export { redisLeftOut, startRedis, type Redis, type RedisOptions } from './redis.js';
export { jsonSpace, jsonText } from './json-source.js';
