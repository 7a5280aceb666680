import type { EnvironmentVariable } from './environment-variables.js';
import { SASL_MECHANISMS } from './environment-types.js';

const PEM = 'a path, or the PEM itself; only with `JOBWARDEN_KAFKA_SSL=on`';

/** How to reach Kafka. All of them but the brokers mean something only where there are brokers. */
export const KAFKA_VARIABLES = {
  kafkaBrokers: {
    name: 'JOBWARDEN_KAFKA_BROKERS',
    type: 'list',
    fallback: null,
    rule: '`host:port`, with commas between',
    meaning: 'Where to find Kafka: one broker that answers is enough to learn of the others. Absent: no Kafka.',
  },
  topicPrefix: {
    name: 'JOBWARDEN_TOPIC_PREFIX',
    type: 'word',
    fallback: 'jobwarden.',
    rule: 'letters, digits, `.`, `_` and `-`; at most 200',
    meaning: 'What the names of all topics and of the consumer group begin with.',
  },
  kafkaPartitions: {
    name: 'JOBWARDEN_KAFKA_PARTITIONS',
    type: 'number',
    fallback: '6',
    rule: '1 to 1000',
    meaning: 'Partitions of a topic that is missing and is made at the start. A topic that is there keeps its own.',
  },
  kafkaReplication: {
    name: 'JOBWARDEN_KAFKA_REPLICATION',
    type: 'number',
    fallback: null,
    rule: '1 to 100',
    meaning: 'Replicas of a topic that is made. Absent: as the cluster has it.',
  },
  kafkaSessionTimeout: {
    name: 'JOBWARDEN_KAFKA_SESSION_TIMEOUT',
    type: 'duration',
    fallback: '30s',
    rule: '`500ms` to `30m`, and within what the brokers allow',
    meaning: 'After as long without a sign of this replica the others read its partitions.',
  },
  kafkaSsl: {
    name: 'JOBWARDEN_KAFKA_SSL',
    type: 'word',
    fallback: 'off',
    rule: '`on` or `off`',
    meaning: '`on`: TLS to the brokers, whose certificates are checked.',
  },
  kafkaSslCa: {
    name: 'JOBWARDEN_KAFKA_SSL_CA',
    type: 'path or PEM',
    fallback: null,
    rule: PEM,
    meaning: 'Certificate of the authority that signed the brokers’. Absent: those that Node knows.',
  },
  kafkaSslCert: {
    name: 'JOBWARDEN_KAFKA_SSL_CERT',
    type: 'path or PEM',
    fallback: null,
    rule: `${PEM}, and with \`JOBWARDEN_KAFKA_SSL_KEY\``,
    meaning: 'Our own certificate, where the brokers ask for one.',
  },
  kafkaSslKey: {
    name: 'JOBWARDEN_KAFKA_SSL_KEY',
    type: 'path or PEM, secret',
    fallback: null,
    rule: `${PEM}, and with \`JOBWARDEN_KAFKA_SSL_CERT\``,
    meaning: 'Its private key.',
  },
  kafkaSaslMechanism: {
    name: 'JOBWARDEN_KAFKA_SASL_MECHANISM',
    type: 'word',
    fallback: null,
    rule: `${SASL_MECHANISMS.map((word) => `\`${word}\``).join(', ')}; with name and password`,
    meaning: 'How we say who we are. Absent: nobody asks.',
  },
  kafkaSaslUsername: {
    name: 'JOBWARDEN_KAFKA_SASL_USERNAME',
    type: 'text',
    fallback: null,
    rule: 'with mechanism and password',
    meaning: 'Our name. Which rights it needs: [Kafka](kafka.md#rights).',
  },
  kafkaSaslPassword: {
    name: 'JOBWARDEN_KAFKA_SASL_PASSWORD',
    type: 'text, secret',
    fallback: null,
    rule: 'with mechanism and name',
    meaning: 'Our password.',
  },
} as const satisfies Record<string, EnvironmentVariable>;
