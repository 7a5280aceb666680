// Others that write to the same deployment: a GitOps controller, an autoscaler, KEDA.
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, inject, it } from 'vitest';
import { afterConflict, conflictOf, gone, heldAtZero, isolationWrite, rollbackWrite, scalerRelease, snapshotOf, zeroLook, type WorkloadSeen } from '#libs/domain';
import type { KubernetesOrchestrator } from '#libs/kubernetes';
import { installKeda, scaledObject } from './plane/keda.js';
import { BAD, newPool } from './plane/pool.js';
import { adminApi, applyAs, deploymentPath, orchestratorWith } from './plane/workers.js';

const api = adminApi();
const inTime = () => ({ signal: AbortSignal.timeout(10_000) });
let orchestrator: KubernetesOrchestrator;
beforeAll(async () => {
  orchestrator = await orchestratorWith(inject('kubernetes').adminToken);
});

const remembered = (seen: WorkloadSeen) => {
  const outcome = snapshotOf(seen, 0);
  if ('refused' in outcome) throw new Error(outcome.why);
  return outcome.snapshot;
};

it('a field manager that reverts is named; it is answered once and then left', async () => {
  const pool = await newPool(api, orchestrator);
  const end = new AbortController();
  // As a GitOps controller does: looks every now and then, and applies what its repository says.
  const gitOps = (async () => {
    while (!end.signal.aborted) {
      const { spec } = await api.get(deploymentPath(pool.namespace));
      if (!spec.template.spec.containers[0].image.endsWith(':v2')) await applyAs(api, pool.namespace, 'argocd-controller', 'v2');
      await delay(100);
    }
  })();
  try {
    let writes = 0;
    for (let next: 'once_more' | 'escalate' = 'once_more'; next === 'once_more'; ) {
      const written = await pool.rollBack(await pool.look());
      writes++;
      const reverted = await pool.until('the revert', (seen) => seen.generation > written.generation && conflictOf(written, seen, BAD) !== null);
      const conflict = conflictOf(written, reverted, BAD)!;
      expect(conflict).toMatchObject({ code: 'gitops_conflict', manager: 'argocd-controller', why: 'argocd-controller wrote v2' });
      expect(conflict.atMs).toBeGreaterThan(Date.now() - 60_000);
      next = afterConflict(conflict, writes);
    }
    expect(writes).toBe(2);
  } finally {
    end.abort();
    await gitOps;
  }
});

it('an autoscaler is named with its bounds, and its own changes after the rollback are no conflict', async () => {
  const pool = await newPool(api, orchestrator, { replicas: 5 });
  await api.create(`/apis/autoscaling/v2/namespaces/${pool.namespace}/horizontalpodautoscalers`, {
    metadata: { name: 'workers-hpa' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'workers' }, minReplicas: 2, maxReplicas: 8 },
  });
  const begun = await pool.look();
  expect(begun).toMatchObject({ scaler: { kind: 'hpa', name: 'workers-hpa', min: 2, max: 8 }, unseen: [] });
  const snapshot = remembered(begun);
  await orchestrator.apply(pool.target, isolationWrite(snapshot), begun, inTime());
  const empty = await pool.until('isolated', (seen) => seen.wanted === 0 && gone(seen, null).gone);

  // 5 as they were, and not the 2 of the autoscaler.
  const release = begun.releases.find((one) => one.revision === 'v1')!;
  const { generation } = await orchestrator.apply(pool.target, rollbackWrite(snapshot, release, true), empty, inTime());
  const written = { releaseId: release.id, revision: 'v1', replicas: 5, generation, atMs: 0 };
  await pool.until('5 are back', (seen) => pool.state(seen, written).state === 'done' && seen.available === 5);
  await api.patch(`${deploymentPath(pool.namespace)}/scale?fieldManager=horizontal-pod-autoscaler`, { spec: { replicas: 3 } });
  const scaled = await pool.until('scaled to 3', (seen) => seen.wanted === 3 && pool.state(seen, written).state === 'done');
  expect(scaled.writers.replicas?.manager).toBe('horizontal-pod-autoscaler');
  await api.patch(`${deploymentPath(pool.namespace)}?fieldManager=kubectl-edit`, { spec: { replicas: 9 } });
  expect(conflictOf(written, await pool.look(), BAD)).toMatchObject({ code: 'replicas_changed', manager: 'kubectl-edit' });
});

it('KEDA is paused from the isolation on and let go at the end; without its kind nothing is missed', async () => {
  const pool = await newPool(api, orchestrator);
  expect(await pool.look()).toMatchObject({ scaler: null, unseen: [] });
  const scaledObjects = await installKeda(api, pool.namespace);
  await api.create(scaledObjects, scaledObject('mail', { minReplicaCount: 1, maxReplicaCount: 9 }));
  const annotations = async () => (await api.get(`${scaledObjects}/mail`)).metadata.annotations;

  const begun = await pool.look();
  expect(begun.scaler).toEqual({ kind: 'keda', name: 'mail', min: 1, max: 9, paused: false });
  const snapshot = remembered(begun);
  expect(await orchestrator.apply(pool.target, isolationWrite(snapshot), begun, { ...inTime(), dryRun: true })).toMatchObject({ writes: 0, changed: true });
  expect(await annotations()).toBeUndefined();
  expect(await orchestrator.apply(pool.target, isolationWrite(snapshot), begun, inTime())).toMatchObject({ writes: 2, changed: true });
  expect(await annotations()).toEqual({ 'autoscaling.keda.sh/paused': 'true', 'autoscaling.keda.sh/paused-replicas': '0' });
  const empty = await pool.until('isolated', (seen) => seen.wanted === 0 && gone(seen, null).gone);
  expect(empty.scaler).toMatchObject({ paused: true });

  const release = begun.releases.find((one) => one.revision === 'v1')!;
  await orchestrator.apply(pool.target, rollbackWrite(snapshot, release, true), empty, inTime());
  expect(await annotations()).toMatchObject({ 'autoscaling.keda.sh/paused-replicas': '3' });
  const end = scalerRelease(snapshot)!;
  expect(await orchestrator.apply(pool.target, end, await pool.look(), inTime())).toMatchObject({ writes: 1, changed: true });
  expect(await annotations()).toBeUndefined();
  expect(await orchestrator.apply(pool.target, end, await pool.look(), inTime())).toMatchObject({ writes: 0, changed: false });
});

it('a pool that is brought back from 0 has bounced, and who did it is named', async () => {
  const pool = await newPool(api, orchestrator);
  const begun = await pool.look();
  await orchestrator.apply(pool.target, { replicas: 0 }, begun, inTime());
  const empty = await pool.until('isolated', (seen) => seen.wanted === 0 && gone(seen, null).gone);
  const looks = [zeroLook(empty, 0), zeroLook(await pool.look(), 8_000), zeroLook(await pool.look(), 16_000)];
  expect(heldAtZero(looks)).toEqual({ state: 'held' });
  await api.patch(`${deploymentPath(pool.namespace)}/scale?fieldManager=keda-operator`, { spec: { replicas: 1 } });
  expect(heldAtZero([...looks, zeroLook(await pool.look(), 20_000)])).toEqual({ state: 'bounced', by: 'keda-operator', wanted: 1 });
});
