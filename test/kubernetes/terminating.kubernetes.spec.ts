// The one counter that tells of workers that are still stopping. A cluster of this version has it behind a gate that is off, so this one has its own control plane.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitUntil } from '#libs/testing';
import type { Api } from './plane/api.js';
import { startControlPlane, type ControlPlane } from './plane/control-plane.js';
import { adminApi, deploymentPath, deployWorkers, newNamespace } from './plane/workers.js';

let gated: ControlPlane;
beforeAll(async () => {
  gated = await startControlPlane(() => undefined, { gates: ['DeploymentReplicaSetTerminatingReplicas'] });
}, 120_000);
afterAll(() => gated.stop());

/** What the status says of 3 pods that take their time to stop, once it counts none of them any more. */
async function stopping(api: Api): Promise<{ readonly pods: number; readonly told: unknown; until: (told: unknown) => Promise<void> }> {
  const namespace = await newNamespace(api);
  await deployWorkers(api, namespace, { images: ['v1'], stopMs: 4_000 });
  const status = async () => (await api.get(deploymentPath(namespace))).status as { readonly replicas?: number; readonly terminatingReplicas?: number };
  await api.patch(`${deploymentPath(namespace)}/scale`, { spec: { replicas: 0 } });
  await waitUntil('no counter is left', async () => (await status()).replicas === undefined, { everyMs: 20 });
  const [{ terminatingReplicas: told }, { items }] = await Promise.all([status(), api.get(`/api/v1/namespaces/${namespace}/pods`)]);
  return { pods: items.length, told, until: (wanted) => waitUntil(`terminatingReplicas is ${String(wanted)}`, async () => (await status()).terminatingReplicas === wanted) };
}

it('with its gate the status tells how many are stopping', async () => {
  const { pods, told, until } = await stopping(gated.api);
  expect(pods).toBe(3);
  expect(told === undefined || told === 0).toBe(false);
  await until(0);
});

it('without it, as clusters are, nothing does but the list of pods', async () => {
  expect(await stopping(adminApi())).toMatchObject({ pods: 3, told: undefined });
});
