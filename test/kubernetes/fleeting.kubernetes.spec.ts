// What a status shows for some milliseconds only, found by a watch, which delivers every state that was ever written. When it comes, and for how long it is
// there, is left to the cluster; that it comes is not: the first state in which a wish is read is written from counters that were taken before it was carried out.
import { beforeAll, expect, inject, it } from 'vitest';
import type { KubernetesOrchestrator } from '#libs/kubernetes';
import { newPool } from './plane/pool.js';
import { countersOf, isRead, recordStates } from './plane/states.js';
import { adminApi, deploymentPath, orchestratorWith } from './plane/workers.js';

const api = adminApi();
let orchestrator: KubernetesOrchestrator;
beforeAll(async () => {
  orchestrator = await orchestratorWith(inject('kubernetes').adminToken);
});

it('scaled to 0, the wish is read while all counters are still 3', async () => {
  const { namespace } = await newPool(api, orchestrator);
  const recorded = await recordStates(api, namespace);
  const { metadata } = await api.patch(`${deploymentPath(namespace)}/scale`, { spec: { replicas: 0 } });
  const { generation } = await api.get(deploymentPath(namespace)).then((now) => now.metadata);
  const states = await recorded.until('no counter is left', (state) => isRead(state, generation) && countersOf(state).replicas === 0);
  const read = states.filter((state) => isRead(state, generation));
  expect(metadata.name).toBe('workers');
  expect(read.map(countersOf)[0]).toEqual({ replicas: 3, updated: 3, available: 3 });
  // And then they are no zeros, but absent.
  expect(read.at(-1)!.status).not.toHaveProperty('availableReplicas');
});

it('given another release, as many are available as wished for while none of them is of it, and no rollout is paused', async () => {
  const pool = await newPool(api, orchestrator);
  const begun = await pool.look();
  const recorded = await recordStates(api, pool.namespace);
  const written = await pool.rollBack(begun);
  const states = await recorded.until('all are updated', (state) => isRead(state, written.generation) && countersOf(state).updated === 3 && countersOf(state).replicas === 3);
  const read = states.filter((state) => isRead(state, written.generation));
  expect(countersOf(read[0]!)).toEqual({ replicas: 3, updated: 0, available: 3 });
  expect(read[0]!.spec.paused).toBeUndefined();
  expect(read[0]!.spec.template.spec.containers[0].image).toMatch(/:v1$/);
  // What is asked of a look, of this very state.
  expect(pool.state({ ...begun, revision: 'v1', releaseId: written.releaseId, generation: written.generation, observedGeneration: written.generation, updated: 0 }, written).state).toBe('waiting');
});
