// A real Kafka for tests, on the loopback address: one node, or three of which one may be lost. Each node is controller
// and broker. Everything is in a temporary folder, which goes with the broker.
import { rmSync, mkdirSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder, removeAbandonedFolders } from '../abandoned.js';
import { makeCertificates, type Certificates } from './certificates.js';
import { kafkaClient } from './client.js';
import { kafkaJars } from './jars.js';
import { runJava } from './java.js';
import { requireKafka } from './missing.js';
import { BrokerNode } from './node.js';
import { listenerPort } from './port.js';
import { dataFolder, propertiesOf } from './settings.js';
import type { ClusterPlan, ListenerName, NodePlan, Settings } from './settings.js';

const folderPrefix = 'jobwarden-kafka-';

export interface BrokerOptions {
  /** Default 1. With three, one may be lost: topics get three replicas, of which two must be in sync. */
  readonly nodes?: 1 | 3;
  /** Beside `plain`, which is always there. `sasl` knows PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512. Default none. */
  readonly listeners?: readonly Exclude<ListenerName, 'plain'>[];
  /** Name and password of those that `sasl` and `sasl_ssl` let in. Default `admin` and `alice`, each with `<name>-secret`. */
  readonly users?: Readonly<Record<string, string>>;
  /**
   * Nobody may do anything without a right, but for `admin` and for whoever comes over `plain`. A client with a
   * certificate is `User:CN=client`. Default false.
   */
  readonly acl?: boolean;
  /** `ssl` and `sasl_ssl` refuse a client without a certificate. Default false. */
  readonly requireClientCertificate?: boolean;
  /** Settings of Kafka, for all nodes; they win over those of the harness. */
  readonly settings?: Settings;
  /** Of each node. Default 512, with three nodes 256. */
  readonly heapMb?: number;
}

export interface Broker {
  /** Addresses of `plain`, separated by commas. */
  readonly brokers: string;
  /** The same for every listener that was asked for. */
  readonly addresses: Readonly<Partial<Record<ListenerName, string>>>;
  readonly nodes: readonly BrokerNode[];
  /** Of `ssl` and `sasl_ssl`; null without them. */
  readonly certificates: Certificates | null;
  /** The last lines of all nodes. */
  readonly log: string;
  /** kill -9 (or a clean end by SIGTERM); `start` goes on with the data. */
  kill(node: number, signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Kills the leader of a partition (default 0). @returns its node. */
  killLeader(topic: string, partition?: number): Promise<number>;
  start(node: number): Promise<void>;
  /** Its connections stay open and nothing is answered, until `resume`. */
  pause(node: number): void;
  resume(node: number): void;
  /** Kills all nodes and removes their data. Idempotent. */
  stop(): Promise<void>;
}

/** @throws with the line of `kafkaMissing`, or with the broker's log. The caller stops it, also when its test fails. */
export async function startBroker(options: BrokerOptions = {}): Promise<Broker> {
  requireKafka();
  removeAbandonedFolders(tmpdir(), folderPrefix);
  const folder = makeFolder(tmpdir(), folderPrefix);
  const count = options.nodes ?? 1;
  const nodes: BrokerNode[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const jars = await kafkaJars();
    const cluster = await planCluster(folder, count, options);
    await formatNodes(jars, cluster);
    const java = { jars, heapMb: options.heapMb ?? (count === 1 ? 512 : 256) };
    nodes.push(...cluster.nodes.map((plan) => new BrokerNode(plan, java)));
    await Promise.all(nodes.map((node) => node.start()));
    return brokerOf(cluster, nodes, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function planCluster(folder: string, count: number, options: BrokerOptions): Promise<ClusterPlan> {
  const names = ['plain', ...(options.listeners ?? [])] as const;
  const nodes: NodePlan[] = [];
  for (let id = 1; id <= count; id++) {
    const ports = new Map<ListenerName, number>();
    for (const name of names) ports.set(name, await listenerPort());
    nodes.push({ id, folder: join(folder, `node-${id}`), controllerPort: await listenerPort(), ports });
  }
  const withSsl = names.some((name) => name.endsWith('ssl'));
  return {
    nodes,
    users: options.users ?? { admin: 'admin-secret', alice: 'alice-secret' },
    acl: options.acl ?? false,
    certificates: withSsl ? await makeCertificates(join(folder, 'certificates')) : null,
    requireClientCertificate: options.requireClientCertificate ?? false,
    settings: options.settings ?? {},
  };
}

/** Writes what a node needs before its first start; SCRAM's users are a part of that. */
async function formatNodes(jars: string, cluster: ClusterPlan): Promise<void> {
  // It may begin with a hyphen: behind an equals sign that is no option.
  const clusterId = randomBytes(16).toString('base64url');
  const withSasl = cluster.nodes.some(({ ports }) => ports.has('sasl') || ports.has('sasl_ssl'));
  const users = withSasl ? Object.entries(cluster.users) : [];
  const scram = users.flatMap(([name, password]) =>
    ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((kind) => ['--add-scram', `${kind}=[name=${name},password=${password}]`]),
  );
  const format = async (node: NodePlan) => {
    const file = join(node.folder, 'server.properties');
    mkdirSync(dataFolder(node), { recursive: true });
    writeFileSync(file, propertiesOf(cluster, node));
    await runJava(jars, ['kafka.tools.StorageTool', 'format', `--cluster-id=${clusterId}`, '-c', file, ...scram]);
  };
  await Promise.all(cluster.nodes.map(format));
}

function brokerOf(cluster: ClusterPlan, nodes: readonly BrokerNode[], end: () => Promise<void>): Broker {
  const addressesOf = (name: ListenerName) =>
    cluster.nodes.map(({ ports }) => `127.0.0.1:${String(ports.get(name))}`).join(',');
  const names = [...(cluster.nodes[0]?.ports.keys() ?? [])];
  const brokers = addressesOf('plain');
  const node = (id: number): BrokerNode => {
    const found = nodes.find((one) => one.id === id);
    if (!found) throw new Error(`There is no node ${id}.`);
    return found;
  };
  let stopped: Promise<void> | undefined;
  return {
    brokers,
    addresses: Object.fromEntries(names.map((name) => [name, addressesOf(name)])),
    nodes,
    certificates: cluster.certificates,
    get log() {
      return nodes.map((one) => one.log).join('\n');
    },
    kill: (id, signal) => node(id).kill(signal),
    killLeader: async (topic, partition = 0) => {
      const leader = await leaderOf(brokers, topic, partition);
      await node(leader).kill();
      return leader;
    },
    start: (id) => node(id).start(),
    pause: (id) => node(id).pause(),
    resume: (id) => node(id).resume(),
    stop: () => (stopped ??= end()),
  };
}

async function leaderOf(brokers: string, topic: string, partition: number): Promise<number> {
  const admin = kafkaClient(brokers).admin();
  await admin.connect();
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const found = topics[0]?.partitions.find(({ partitionId }) => partitionId === partition);
    if (!found) throw new Error(`${topic} has no partition ${partition}.`);
    return found.leader;
  } finally {
    await admin.disconnect();
  }
}
