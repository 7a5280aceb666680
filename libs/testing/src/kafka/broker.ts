// A real Kafka for tests, on the loopback address: one node, or three of which one may be lost. Each node is controller
// and broker. Everything is in a temporary folder, which goes with the broker.
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { makeFolder, removeAbandonedFolders } from '../abandoned.js';
import type { Certificates } from './certificates.js';
import { kafkaClient } from './client.js';
import { kafkaJars } from './jars.js';
import { requireKafka } from './missing.js';
import { BrokerNode } from './node.js';
import { formatNodes, planCluster, type BrokerOptions } from './plan.js';
import type { ClusterPlan, ListenerName } from './settings.js';

const folderPrefix = 'jobwarden-kafka-';

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
