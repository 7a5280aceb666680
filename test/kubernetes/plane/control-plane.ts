// etcd, kube-apiserver and kube-controller-manager on free ports of 127.0.0.1, with an authority of their own, and the fake kubelet.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, makeCertificates, startGuarded, waitUntil, type GuardedServer } from '#libs/testing';
import { openApi, type Api } from './api.js';
import { auditPolicy } from './audit.js';
import { startKubelet } from './kubelet.js';
import { controlPlanePrograms } from './programs.js';

export interface ControlPlane {
  readonly server: string;
  readonly ca: string;
  /** Of `system:masters`. */
  readonly adminToken: string;
  readonly api: Api;
  readonly kubectl: string;
  /** What a second API server on the same etcd is started with. */
  readonly apiserver: readonly string[];
  readonly controllerManagerPid: number;
  readonly apiserverPid: number;
  /** Idempotent. */
  stop(): Promise<void>;
}

const ADMIN_TOKEN = 'admin-token';
const MANAGER_TOKEN = 'controller-manager-token';
const run = promisify(execFile);
const CONTROLLERS = ['deployment', 'replicaset', 'serviceaccount', 'serviceaccount-token', 'root-ca-certificate-publisher', 'namespace', 'garbage-collector']
  .map((name) => `${name}-controller`)
  .join(',');

export interface ControlPlaneOptions {
  /** The API server records the calls of this namespace's service accounts in this file ({@link auditedCalls}). Default: of nobody. */
  readonly audit?: { readonly file: string; readonly accountsOf: string };
  /** Features that this version has off, to be on in both of its parts. Default: none. */
  readonly gates?: readonly string[];
}

/** @throws with what its parts said. The caller stops it. */
export async function startControlPlane(tell: (line: string) => void, { audit, gates = [] }: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const programs = await controlPlanePrograms({ tell });
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-kubernetes-'));
  const said: string[] = [];
  const started: GuardedServer[] = [];
  const start = (command: readonly string[]): GuardedServer => {
    const server = startGuarded(command, (line) => said.push(line.slice(0, 500)));
    void server.exited.catch(() => undefined);
    started.push(server);
    return server;
  };
  // Whoever watches keeps an API server from ending for a minute: the watchers go first. Nothing of it is kept, so nothing needs to end in peace.
  const stop = async (): Promise<void> => {
    for (const server of started.splice(0).reverse()) await server.end('SIGKILL').catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { caFile, ca } = await makeCertificates(folder);
    const etcd = await startEtcd(folder, start);
    const port = await freePort();
    const server = `https://127.0.0.1:${String(port)}`;
    const api = openApi({ server, ca, token: ADMIN_TOKEN });
    const apiserver = await apiserverCommand({ program: programs.apiserver, folder, caFile, etcd, gates });
    const { pid: apiserverPid } = start([...apiserver, `--secure-port=${String(port)}`, ...auditFlags(folder, audit)]);
    await waitUntil('kube-apiserver is ready', () => isReady(api), { withinMs: 60_000, everyMs: 100 });
    const manager = start(managerCommand({ program: programs.controllerManager, folder, caFile, server, gates }));
    await waitUntil('the default service account', async () => (await api.call('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200, {
      withinMs: 60_000,
      everyMs: 100,
    });
    const kubelet = startKubelet(api);
    return {
      ...{ server, ca, adminToken: ADMIN_TOKEN, api, kubectl: programs.kubectl, apiserver, apiserverPid, controllerManagerPid: manager.pid },
      async stop() {
        await kubelet.stop();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw new Error(`The control plane did not start; it said:\n${said.slice(-40).join('\n')}`, { cause: error });
  }
}

async function startEtcd(folder: string, start: (command: readonly string[]) => GuardedServer): Promise<string> {
  const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${String(port)}`) as [string, string];
  const urls = ['--listen-client-urls', client, '--advertise-client-urls', client, '--listen-peer-urls', peer];
  start(['etcd', '--data-dir', join(folder, 'etcd'), ...urls, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`, '--unsafe-no-fsync']);
  await waitUntil('etcd answers', () => fetch(`${client}/health`).then((answer) => answer.ok, () => false), { withinMs: 20_000 });
  return client;
}

/** Without its port. */
async function apiserverCommand(parts: { program: string; folder: string; caFile: string; etcd: string; gates: readonly string[] }): Promise<readonly string[]> {
  const { program, folder, caFile, etcd, gates } = parts;
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${ADMIN_TOKEN},admin,admin,"system:masters"\n${MANAGER_TOKEN},system:kube-controller-manager,manager\n`);
  const key = join(folder, 'accounts.key');
  await run('openssl', ['genrsa', '-out', key, '2048']);
  await run('openssl', ['rsa', '-in', key, '-pubout', '-out', `${key}.pub`]);
  return [
    program,
    ...['--bind-address=127.0.0.1', '--advertise-address=127.0.0.1', `--etcd-servers=${etcd}`, '--service-cluster-ip-range=10.0.0.0/24'],
    // A loopback address is never published, and it would try for ever.
    '--endpoint-reconciler-type=none',
    ...[`--tls-cert-file=${join(folder, 'server.crt')}`, `--tls-private-key-file=${join(folder, 'server.key')}`, `--cert-dir=${folder}`],
    ...[`--token-auth-file=${tokens}`, '--anonymous-auth=false', '--authorization-mode=Node,RBAC'],
    ...['--service-account-issuer=https://kubernetes.default.svc', `--service-account-key-file=${key}.pub`, `--service-account-signing-key-file=${key}`],
    // Else the other parts log an error every few seconds.
    ...[`--client-ca-file=${caFile}`, `--requestheader-client-ca-file=${caFile}`, '--requestheader-username-headers=X-Remote-User'],
    ...['--requestheader-group-headers=X-Remote-Group', '--requestheader-extra-headers-prefix=X-Remote-Extra-'],
    // Debian's etcd is too old to tell how far a watch has come; each change would wait for that.
    gatesFlag('WatchList=false,SizeBasedListCostEstimate=false', gates),
    '--v=0',
  ];
}

/** Each call is on the disk before it is answered. Not of `apiserverCommand`: a second server would write into the same file. */
function auditFlags(folder: string, audit: ControlPlaneOptions['audit']): readonly string[] {
  if (audit === undefined) return [];
  const policy = join(folder, 'audit.yaml');
  writeFileSync(policy, auditPolicy(audit.accountsOf));
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${audit.file}`, '--audit-log-mode=blocking', '--audit-log-maxsize=1000'];
}

const gatesFlag = (always: string, on: readonly string[]): string => `--feature-gates=${[always, ...on.map((gate) => `${gate}=true`)].join(',')}`;

function managerCommand({ program, folder, caFile, server, gates }: { program: string; folder: string; caFile: string; server: string; gates: readonly string[] }): readonly string[] {
  const kubeconfig = join(folder, 'manager.kubeconfig');
  writeFileSync(kubeconfig, kubeconfigText({ server, ca: readFileSync(caFile, 'utf8'), token: MANAGER_TOKEN }));
  return [
    program,
    ...[`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--use-service-account-credentials', `--controllers=${CONTROLLERS}`],
    ...[`--root-ca-file=${caFile}`, `--service-account-private-key-file=${join(folder, 'accounts.key')}`, '--bind-address=127.0.0.1', '--secure-port=0'],
    // Its default, 20 calls a second, is for clusters with more than one to wait for.
    ...['--kube-api-qps=1000', '--kube-api-burst=1000', gatesFlag('WatchListClient=false', gates), '--v=0'],
  ];
}

export async function isReady(api: Api): Promise<boolean> {
  return await api.call('GET', '/readyz').then((answer) => answer.status === 200, () => false);
}

export function kubeconfigText({ server, ca, token }: { server: string; ca: string; token: string }): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}
