// One write of release and number of pods, and what a real cluster shows until it counts.
import { beforeAll, expect, inject, it } from 'vitest';
import { gone, snapshotOf, type WorkloadSeen } from '#libs/domain';
import type { KubernetesOrchestrator } from '#libs/kubernetes';
import { newPool } from './plane/pool.js';
import { adminApi, deploymentPath, orchestratorWith } from './plane/workers.js';

const api = adminApi();
const { adminToken, controllerManagerPid } = inject('kubernetes');
const inTime = () => ({ signal: AbortSignal.timeout(10_000) });
let orchestrator: KubernetesOrchestrator;
beforeAll(async () => {
  orchestrator = await orchestratorWith(adminToken);
});

it('from a half rollout of a broken release: the good ones never leave, and no bad one is left', async () => {
  const pool = await newPool(api, orchestrator, { images: ['v1', 'v2-broken'] });
  const begun = await pool.look();
  const written = await pool.rollBack(begun);
  expect(written.generation).toBe(begun.generation + 1);
  const least: number[] = [];
  const after = await pool.until('v1 is out', (seen) => {
    least.push(seen.available);
    return pool.state(seen, written).state === 'done';
  });
  expect(Math.min(...least)).toBe(3);
  expect(after).toMatchObject({ revision: 'v1', available: 3, updated: 3, generation: written.generation });
  expect(gone(after, 'v2-broken').gone).toBe(true);
});

it('of a release that works, with as many pods as before: available never falls, and done is never said with an old pod there', async () => {
  const pool = await newPool(api, orchestrator, { replicas: 4 });
  const written = await pool.rollBack(await pool.look());
  const looks: WorkloadSeen[] = [];
  await pool.until('v1 is out', (seen) => {
    looks.push(seen);
    return pool.state(seen, written).state === 'done';
  });
  expect(Math.min(...looks.map((seen) => seen.available))).toBeGreaterThanOrEqual(3);
  const said = looks.filter((seen) => pool.state(seen, written).state === 'done');
  expect(said).toHaveLength(1);
  expect(said[0]!.pods.map((pod) => pod.revision)).toEqual(['v1', 'v1', 'v1', 'v1']);
});

it('after scaling to 0 only what was stored before knows the number: the cluster has it as 0, or from before', async () => {
  const pool = await newPool(api, orchestrator);
  const before = await pool.look();
  expect(before.releases.map((release) => release.desiredReplicas)).toEqual([3, 3]);
  await orchestrator.apply(pool.target, { replicas: 0 }, before, inTime());
  const empty = await pool.until('read', (seen) => seen.observedGeneration === seen.generation && gone(seen, null).gone && seen.replicas === 0);
  expect(empty.wanted).toBe(0);
  expect(empty.releases.find((release) => release.revision === 'v2')?.desiredReplicas).toBe(0);
  const written = await pool.rollBack(empty, before.wanted);
  expect(await pool.until('all are back', (seen) => pool.state(seen, written).state === 'done')).toMatchObject({ wanted: 3, available: 3 });
});

it('a release that cannot run is never out: given up by the cluster, with the reasons of its pods', async () => {
  const pool = await newPool(api, orchestrator, { images: ['v1-broken', 'v2'], spec: { progressDeadlineSeconds: 2 }, annotations: { 'v1-broken': { 'jobwarden.dev/revision': 'v1' } } });
  const written = await pool.rollBack(await pool.look());
  const failed = await pool.until('given up', (seen) => pool.state(seen, written).state === 'failed');
  const outcome = pool.state(failed, written);
  expect(outcome).toMatchObject({ code: 'given_up' });
  expect(outcome.state === 'failed' ? outcome.pods.join() : '').toMatch(/CrashLoopBackOff/);
});

it('while nobody carries the wish out the counters are of the old one, and only the observed generation says so', async () => {
  const pool = await newPool(api, orchestrator);
  const begun = await pool.look();
  process.kill(controllerManagerPid, 'SIGSTOP');
  try {
    const written = await pool.rollBack(begun);
    const stale = await pool.look();
    expect(stale).toMatchObject({ revision: 'v1', generation: written.generation, observedGeneration: begun.generation, updated: 3, replicas: 3, available: 3 });
    expect(pool.state(stale, written)).toMatchObject({ state: 'waiting', why: expect.stringContaining('is not read yet') as string });
    process.kill(controllerManagerPid, 'SIGCONT');
    await pool.until('v1 is out', (seen) => pool.state(seen, written).state === 'done');
  } finally {
    process.kill(controllerManagerPid, 'SIGCONT');
  }
});

it('of a paused deployment the wish is read and not carried out: 3 are available, and they are the bad ones', async () => {
  const pool = await newPool(api, orchestrator);
  const begun = await pool.look();
  await api.patch(deploymentPath(pool.namespace), { spec: { paused: true } });
  // By hand: the rules refuse it.
  const seen = await pool.until('paused', (now) => now.paused && now.observedGeneration === now.generation);
  const release = begun.releases.find((one) => one.revision === 'v1')!;
  const { generation } = await orchestrator.apply(pool.target, { releaseId: release.id, replicas: 3 }, seen, inTime());
  const written = { releaseId: release.id, revision: 'v1', replicas: 3, generation, atMs: 0 };
  const read = await pool.until('the wish is read', (now) => now.observedGeneration >= generation);
  expect(read).toMatchObject({ revision: 'v1', available: 3, updated: 0, paused: true });
  const { status } = await api.get(deploymentPath(pool.namespace));
  expect(status.conditions?.find(({ type }) => type === 'Progressing')).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused' });
  expect(pool.state(read, written)).toMatchObject({ state: 'failed', code: 'paused' });
});

it('pods that cannot be made at all say why through the deployment', async () => {
  const pool = await newPool(api, orchestrator);
  await api.create(`/api/v1/namespaces/${pool.namespace}/resourcequotas`, { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } });
  // Two pods that are to run, and none that may be made. Quotas are counted by a controller that does not run here, so the number is written for it.
  await api.patch(`/api/v1/namespaces/${pool.namespace}/resourcequotas/none/status`, { status: { hard: { pods: '0' }, used: { pods: '0' } } });
  const written = await pool.rollBack(await pool.look());
  const stuck = await pool.until('the reason', (seen) => seen.hindrance !== null);
  expect(stuck.hindrance).toMatch(/FailedCreate: .*exceeded quota/);
  expect(pool.state(stuck, written).state).toBe('waiting');
});

it('the number of pods a person had at 0 is left at 0', async () => {
  const pool = await newPool(api, orchestrator);
  await api.patch(`${deploymentPath(pool.namespace)}?fieldManager=kubectl-scale`, { spec: { replicas: 0 } });
  const seen = await pool.look();
  expect(seen.writers.replicas?.manager).toBe('kubectl-scale');
  expect(snapshotOf(seen, 0)).toMatchObject({ refused: 'scaled_to_zero', why: expect.stringContaining('kubectl-scale') as string });
});
