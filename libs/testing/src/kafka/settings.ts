// The configuration file of one broker.
import { join } from 'node:path';
import type { Certificates } from './certificates.js';

/** `plain` is always there, and brokers talk to each other over it. */
export const listenerNames = ['plain', 'sasl', 'ssl', 'sasl_ssl'] as const;
export type ListenerName = (typeof listenerNames)[number];

const protocols: Readonly<Record<ListenerName, string>> = {
  plain: 'PLAINTEXT',
  sasl: 'SASL_PLAINTEXT',
  ssl: 'SSL',
  sasl_ssl: 'SASL_SSL',
};

export type Settings = Readonly<Record<string, string | number | boolean>>;

export interface NodePlan {
  readonly id: number;
  readonly folder: string;
  readonly controllerPort: number;
  readonly ports: ReadonlyMap<ListenerName, number>;
}

export interface ClusterPlan {
  readonly nodes: readonly NodePlan[];
  /** Name and password. */
  readonly users: Readonly<Record<string, string>>;
  readonly acl: boolean;
  readonly certificates: Certificates | null;
  readonly requireClientCertificate: boolean;
  /** Added last: the test's own. */
  readonly settings: Settings;
}

export function propertiesOf(cluster: ClusterPlan, node: NodePlan): string {
  const all: Settings = {
    ...quorum(cluster, node),
    ...quickness(cluster.nodes.length),
    ...sasl(cluster, node),
    ...ssl(cluster),
    ...rights(cluster),
    ...cluster.settings,
  };
  return Object.entries(all)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

export const dataFolder = (node: NodePlan) => join(node.folder, 'data');

function quorum({ nodes }: ClusterPlan, { id, controllerPort, ports, ...node }: NodePlan): Settings {
  const open = [...ports].map(([name, port]) => `${name.toUpperCase()}://127.0.0.1:${port}`);
  const voters = nodes.map((one) => `${one.id}@127.0.0.1:${one.controllerPort}`);
  const map = listenerNames.map((name) => `${name.toUpperCase()}:${protocols[name]}`);
  return {
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': voters.join(','),
    listeners: [...open, `CONTROLLER://127.0.0.1:${controllerPort}`].join(','),
    'advertised.listeners': open.join(','),
    'listener.security.protocol.map': [...map, 'CONTROLLER:PLAINTEXT'].join(','),
    'inter.broker.listener.name': 'PLAIN',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': join(node.folder, 'data'),
  };
}

/** Small and quick; nothing here changes what a client may rely on. */
function quickness(count: number): Settings {
  const safe = Math.min(2, count);
  return {
    // A node that was killed can register again only when its old session is over.
    'broker.session.timeout.ms': 2_000,
    'broker.heartbeat.interval.ms': 300,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 500,
    'auto.create.topics.enable': false,
    'default.replication.factor': count,
    'min.insync.replicas': safe,
    'offsets.topic.replication.factor': count,
    'offsets.topic.num.partitions': count,
    'transaction.state.log.replication.factor': count,
    'transaction.state.log.min.isr': safe,
    'transaction.state.log.num.partitions': count,
    'share.coordinator.state.topic.replication.factor': count,
    'share.coordinator.state.topic.min.isr': safe,
    'num.network.threads': 2,
    'num.io.threads': 4,
    // Half of the heap of a small node otherwise.
    'log.cleaner.dedupe.buffer.size': 4_194_304,
  };
}

function sasl({ users }: ClusterPlan, { ports }: NodePlan): Settings {
  const known = Object.entries(users).map(([name, password]) => `user_${name}="${password}"`);
  const module = 'org.apache.kafka.common.security';
  const names = [...ports.keys()].filter((name) => name === 'sasl' || name === 'sasl_ssl');
  return Object.assign(
    {},
    ...names.map((name) => ({
      [`listener.name.${name}.sasl.enabled.mechanisms`]: 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      [`listener.name.${name}.plain.sasl.jaas.config`]: `${module}.plain.PlainLoginModule required ${known.join(' ')};`,
      [`listener.name.${name}.scram-sha-256.sasl.jaas.config`]: `${module}.scram.ScramLoginModule required;`,
      [`listener.name.${name}.scram-sha-512.sasl.jaas.config`]: `${module}.scram.ScramLoginModule required;`,
    })),
  ) as Settings;
}

function ssl({ certificates, requireClientCertificate }: ClusterPlan): Settings {
  if (certificates === null) return {};
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': certificates.serverFile,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': certificates.caFile,
    'ssl.client.auth': requireClientCertificate ? 'required' : 'requested',
  };
}

/** Whoever comes without a name, over `plain`, may do everything: the nodes themselves, and the test that sets the stage. */
function rights({ acl }: ClusterPlan): Settings {
  if (!acl) return {};
  return {
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': 'User:ANONYMOUS;User:admin',
  };
}
