// What a cluster is before it runs: its ports, files and users.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCertificates } from './certificates.js';
import { runJava } from './java.js';
import { listenerPort } from './port.js';
import { dataFolder, propertiesOf } from './settings.js';
import type { ClusterPlan, ListenerName, NodePlan, Settings } from './settings.js';

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

/** Ports, certificates and users, before anything runs. */
export async function planCluster(folder: string, count: number, options: BrokerOptions): Promise<ClusterPlan> {
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
export async function formatNodes(jars: string, cluster: ClusterPlan): Promise<void> {
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
