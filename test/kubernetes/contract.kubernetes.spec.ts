import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { inject } from 'vitest';
import { orchestratorContract } from '../orchestrators/contract.js';
import { adminApi, applyAs, deploymentPath, deployWorkers, newNamespace, orchestratorWith, untilSeen } from './plane/workers.js';

orchestratorContract('a real control plane', async () => {
  const api = adminApi();
  const { adminToken } = inject('kubernetes');
  const orchestrator = await orchestratorWith(adminToken);
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address() as { port: number };
  return {
    orchestrator,
    async pool({ broken } = {}) {
      const namespace = await newNamespace(api);
      const target = `${namespace}/workers`;
      const annotations = { 'v1-broken': { 'jobwarden.dev/revision': 'v1' } };
      if (broken === 'v1') await deployBrokenFirst(namespace);
      else await deployWorkers(api, namespace, { images: ['v1', broken === 'v2' ? 'v2-broken' : 'v2'] });
      return {
        target,
        write: async (by, { revision, replicas, paused }) => {
          if (revision !== undefined) await applyAs(api, namespace, by, revision);
          const spec = { ...(replicas === undefined ? {} : { replicas }), ...(paused === undefined ? {} : { paused }) };
          if (Object.keys(spec).length > 0) await api.patch(`${deploymentPath(namespace)}?fieldManager=${by}`, { spec });
        },
        until: (what, holds) => untilSeen(orchestrator, target, what, holds),
      };

      async function deployBrokenFirst(where: string): Promise<void> {
        await deployWorkers(api, where, { images: ['v1-broken', 'v2'], annotations });
      }
    },
    unknownTarget: 'default/nobody',
    hanging: async () => ({
      orchestrator: await orchestratorWith(adminToken, `https://127.0.0.1:${String(address.port)}`, 300),
      target: 'default/workers',
    }),
    close: () => {
      for (const socket of sockets) socket.destroy();
      silent.close();
      return Promise.resolve();
    },
  };
});
