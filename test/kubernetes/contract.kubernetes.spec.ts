import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { inject } from 'vitest';
import { ClusterCalls, KubernetesOrchestrator } from '#libs/kubernetes';
import { orchestratorContract, type PoolOptions } from '../orchestrators/contract.js';
import { createAccount, grant, shippedRules } from './plane/accounts.js';
import { installKeda, scaledObject } from './plane/keda.js';
import { adminApi, applyAs, deploymentPath, deployWorkers, newNamespace, orchestratorWith, untilSeen } from './plane/workers.js';

const portOf = (server: Server) => String((server.address() as AddressInfo).port);

orchestratorContract('a real control plane', async () => {
  const api = adminApi();
  const { adminToken, controllerManagerPid } = inject('kubernetes');
  const orchestrator = await orchestratorWith(adminToken);
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
  // A real one says so once more is asked of it than it can answer, which is nothing that a test should need.
  const busy = createHttpServer((_, response) => void response.writeHead(429, { 'retry-after': '2' }).end('{}')).listen(0, '127.0.0.1');
  await Promise.all([once(silent, 'listening'), once(busy, 'listening')]);

  const deploy = async (namespace: string, { broken, keda = false, stopMs }: PoolOptions): Promise<void> => {
    const stop = stopMs === undefined ? {} : { stopMs };
    const annotations = { 'v1-broken': { 'jobwarden.dev/revision': 'v1' } };
    if (broken === 'v1') await deployWorkers(api, namespace, { images: ['v1-broken', 'v2'], annotations });
    else await deployWorkers(api, namespace, { images: ['v1', broken === 'v2' ? 'v2-broken' : 'v2'], ...stop });
    if (keda) await api.create(await installKeda(api, namespace), scaledObject('workers', { minReplicaCount: 1, maxReplicaCount: 9 }));
  };
  const pool = async (options: PoolOptions = {}) => {
    const namespace = await newNamespace(api);
    const target = `${namespace}/workers`;
    await deploy(namespace, options);
    return {
      namespace,
      target,
      write: async (by: string, { revision, replicas, paused }: { readonly revision?: string; readonly replicas?: number; readonly paused?: boolean }) => {
        if (revision !== undefined) await applyAs(api, namespace, by, revision);
        const spec = { ...(replicas === undefined ? {} : { replicas }), ...(paused === undefined ? {} : { paused }) };
        if (Object.keys(spec).length > 0) await api.patch(`${deploymentPath(namespace)}?fieldManager=${by}`, { spec });
      },
      until: (what: string, holds: Parameters<typeof untilSeen>[3]) => untilSeen(orchestrator, target, what, holds),
      halt: () => {
        process.kill(controllerManagerPid, 'SIGSTOP');
        return Promise.resolve(() => void process.kill(controllerManagerPid, 'SIGCONT'));
      },
    };
  };
  return {
    orchestrator,
    pool,
    unknownTarget: 'default/nobody',
    hanging: async () => ({ orchestrator: await orchestratorWith(adminToken, `https://127.0.0.1:${portOf(silent)}`, 300), target: 'default/workers' }),
    mayOnlyLook: async () => {
      const { namespace, target } = await pool();
      const account = { namespace, name: 'looks' };
      const token = await createAccount(api, account);
      await grant(api, { namespace, account, rules: shippedRules('workers').map((rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => verb !== 'patch') })).filter(({ verbs }) => verbs.length > 0) });
      return { orchestrator: await orchestratorWith(token), target };
    },
    throttled: () => {
      const access = { server: new URL(`http://127.0.0.1:${portOf(busy)}`), options: () => Promise.resolve({}) };
      return Promise.resolve({ orchestrator: new KubernetesOrchestrator(new ClusterCalls(access, 1_000)), target: 'default/workers', retryAfterMs: 2_000 });
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      silent.close();
      busy.closeAllConnections();
      busy.close();
      return Promise.resolve();
    },
  };
});
