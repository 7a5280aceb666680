// The procedure that teams have in a shell script, by the real kubectl: scale to 0, undo, wait, look at the available ones. And what we make of the same looks.
import { beforeAll, expect, inject, it } from 'vitest';
import { chooseRelease, gone, rolledOut, snapshotOf, type WorkloadWritten } from '#libs/domain';
import type { KubernetesOrchestrator } from '#libs/kubernetes';
import { waitUntil } from '#libs/testing';
import { kubectlIn, run } from './plane/kubectl.js';
import { BAD, newPool } from './plane/pool.js';
import { countersOf, recordStates } from './plane/states.js';
import { adminApi, deploymentPath, orchestratorWith, setImage, type WorkersOptions } from './plane/workers.js';

const api = adminApi();
let orchestrator: KubernetesOrchestrator;
beforeAll(async () => {
  orchestrator = await orchestratorWith(inject('kubernetes').adminToken);
});

const begin = async (options: WorkersOptions = {}) => {
  const pool = await newPool(api, orchestrator, options);
  return { ...pool, kubectl: kubectlIn(pool.namespace) };
};
/** Whatever a look shows, long before the deadline. */
const question = (written: WorkloadWritten) => ({ written, bad: BAD, nowMs: 0, deadlineMs: 1 });

it('the usual script reports success and leaves no pod; one write brings them all back', async () => {
  const { namespace, kubectl, look, until } = await begin();
  const snapshot = snapshotOf(await look(), 0);
  expect(await kubectl('scale', 'deployment/workers', '--replicas=0')).toMatchObject({ code: 0 });
  await until('no pod', (seen) => seen.observedGeneration === seen.generation && gone(seen, null).gone && seen.replicas === 0);
  expect(await kubectl('rollout', 'undo', 'deployment/workers')).toMatchObject({ code: 0, output: expect.stringContaining('rolled back') as string });
  const waited = await kubectl('rollout', 'status', 'deployment/workers', '--timeout=30s');
  expect(waited).toMatchObject({ code: 0, output: expect.stringContaining('successfully rolled out') as string });

  const available = await kubectl('get', 'deployment/workers', '-o', 'jsonpath={.status.availableReplicas}');
  expect(available).toEqual({ code: 0, output: '', errors: '' });
  expect(await run('bash', ['-c', '[ "$1" -gt 0 ]', 'bash', available.output])).toMatchObject({ code: 2, errors: expect.stringContaining('integer expression expected') as string });
  const { spec, status } = await api.get(deploymentPath(namespace));
  expect(spec.replicas).toBe(0);
  const holds = (type: string) => status.conditions?.find((condition) => condition.type === type)?.status;
  expect([holds('Available'), holds('Progressing')]).toEqual(['True', 'True']);

  // The same look, as we read it: no rollout at all. The release is right, and nobody is there.
  const seen = await look();
  expect(seen).toMatchObject({ revision: 'v1', wanted: 0, available: 0, pods: [] });
  const asked: WorkloadWritten = { releaseId: seen.releaseId, revision: 'v1', replicas: 0, generation: seen.generation, atMs: 0 };
  expect(rolledOut(seen, question(asked))).toMatchObject({ state: 'failed', code: 'nothing_wanted' });
  if ('refused' in snapshot) throw new Error(snapshot.why);
  const { generation } = await orchestrator.apply(seen.target, { replicas: snapshot.snapshot.replicas }, seen, { signal: AbortSignal.timeout(10_000) });
  const recovered = { ...asked, replicas: snapshot.snapshot.replicas, generation };
  expect(await until('all are back', (now) => rolledOut(now, question(recovered)).state === 'done')).toMatchObject({ available: 3, revision: 'v1' });
});

it('undoing twice brings the bad release back; rolling back twice does not', async () => {
  const { kubectl, look, until, rollBack } = await begin();
  await kubectl('rollout', 'undo', 'deployment/workers');
  expect((await look()).revision).toBe('v1');
  await kubectl('rollout', 'undo', 'deployment/workers');
  expect((await look()).revision).toBe('v2');
  expect(await kubectl('rollout', 'undo', 'deployment/workers', '--to-revision=1')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('unable to find specified revision 1 in history') as string,
  });

  await until('at rest', (seen) => seen.observedGeneration === seen.generation && gone(seen, 'v1').gone && seen.updated === 3);
  const written = await rollBack(await look(), 3);
  const after = await until('v1 is out', (seen) => rolledOut(seen, question(written)).state === 'done');
  const again = chooseRelease(after, { bad: ['v2'], healthy: ['v1'], schemaVersion: null });
  expect(again).toMatchObject({ refused: 'already_stable' });
  const repeated = await orchestrator.apply(after.target, { releaseId: written.releaseId ?? '', replicas: 3 }, after, { signal: AbortSignal.timeout(10_000) });
  expect(repeated).toMatchObject({ changed: false, writes: 0, generation: written.generation });
  expect(await kubectl('rollout', 'undo', 'deployment/workers', '--to-revision=5')).toMatchObject({ code: 0, output: expect.stringContaining('skipped rollback') as string });
});

it('undoing a third time goes to the good release again: it only ever means the one before', async () => {
  const { kubectl, look } = await begin();
  const seen: (string | null)[] = [];
  for (let times = 0; times < 3; times++) {
    expect(await kubectl('rollout', 'undo', 'deployment/workers')).toMatchObject({ code: 0 });
    seen.push((await look()).revision);
  }
  expect(seen).toEqual(['v1', 'v2', 'v1']);
});

it('undoing alone heals a rollout that stands still half-way, and no good pod leaves for it', async () => {
  const { namespace, kubectl, until } = await begin({ images: ['v1', 'v2-broken'] });
  await until('a pod that does not get ready', (seen) => seen.pods.some((pod) => pod.reason === 'CrashLoopBackOff'));
  const recorded = await recordStates(api, namespace);
  expect(await kubectl('rollout', 'undo', 'deployment/workers')).toMatchObject({ code: 0, output: expect.stringContaining('rolled back') as string });
  const states = await recorded.until('only v1 is left', (state) => state.status.observedGeneration === state.metadata.generation && countersOf(state).updated === 3 && countersOf(state).replicas === 3);
  expect(Math.min(...states.map((state) => countersOf(state).available))).toBe(3);
  expect(await until('no pod of it', (seen) => gone(seen, 'v2-broken').gone)).toMatchObject({ revision: 'v1', available: 3 });
});

it('without older releases, and while it is paused, both refuse', async () => {
  const only = await begin({ images: ['v2'] });
  expect(await only.kubectl('rollout', 'undo', 'deployment/workers')).toMatchObject({ code: 1, errors: expect.stringContaining('no rollout history found') as string });
  const facts = { bad: ['v2'], healthy: ['v1'], schemaVersion: null };
  expect(chooseRelease(await only.look(), facts)).toMatchObject({ refused: 'no_stable_revision' });

  const forgetful = await begin({ spec: { revisionHistoryLimit: 0 } });
  await forgetful.until('the history is gone', (seen) => seen.releases.length === 1);
  expect(await forgetful.kubectl('rollout', 'undo', 'deployment/workers')).toMatchObject({ code: 1 });
  expect(chooseRelease(await forgetful.look(), facts)).toMatchObject({ refused: 'no_stable_revision' });

  const paused = await begin();
  await api.patch(deploymentPath(paused.namespace), { spec: { paused: true } });
  expect(await paused.kubectl('rollout', 'undo', 'deployment/workers')).toMatchObject({ code: 1, errors: expect.stringContaining('paused') as string });
  expect(chooseRelease(await paused.look(), facts)).toMatchObject({ refused: 'paused' });
});

it('of a failed rollout the good pods go on: going back heals it, and scaling to 0 would have made it an outage', async () => {
  const { namespace, kubectl, look, until } = await begin({ spec: { progressDeadlineSeconds: 1 } });
  await setImage(api, namespace, 'v3-broken');
  const stuck = await until('a pod that does not get ready', (seen) => seen.pods.some((pod) => pod.reason === 'CrashLoopBackOff'));
  expect(stuck.available).toBe(3);
  expect(stuck.pods.filter((pod) => pod.revision === 'v2' && pod.ready)).toHaveLength(3);
  const waited = await kubectl('rollout', 'status', 'deployment/workers', '--timeout=30s');
  expect(waited).toMatchObject({ code: 1, errors: expect.stringContaining('exceeded its progress deadline') as string });
  const late = await until('given up', (seen) => seen.failure !== null);
  const bad: WorkloadWritten = { releaseId: late.releaseId, revision: 'v3-broken', replicas: 3, generation: late.generation, atMs: 0 };
  expect(rolledOut(late, question(bad))).toMatchObject({ state: 'failed', code: 'given_up' });

  const fine = await look();
  const choice = chooseRelease(fine, { bad: ['v3-broken'], healthy: ['v2'], schemaVersion: null });
  if ('refused' in choice) throw new Error(choice.why);
  await orchestrator.apply(fine.target, { releaseId: choice.release.id, replicas: 3 }, fine, { signal: AbortSignal.timeout(10_000) });
  await until('only v2 is left', (seen) => gone(seen, 'v3-broken').gone && seen.updated === 3);
});

it('the counters call it done while old workers are still stopping; the pods do not', async () => {
  const { namespace, kubectl, look, until, rollBack } = await begin({ stopMs: 1_500 });
  const begun = await look();
  const written = await rollBack(begun, 3);
  const status = await kubectl('rollout', 'status', 'deployment/workers', '--timeout=30s');
  expect(status).toMatchObject({ code: 0, output: expect.stringContaining('successfully rolled out') as string });
  const early = await look();
  expect(early).toMatchObject({ replicas: 3, updated: 3, available: 3, observedGeneration: early.generation });
  expect(gone(early, 'v2')).toMatchObject({ gone: false });
  expect(rolledOut(early, question(written))).toMatchObject({ state: 'waiting', why: expect.stringContaining('of v2 are left') as string });
  await until('the last one is gone', (seen) => rolledOut(seen, question(written)).state === 'done');

  await kubectl('scale', 'deployment/workers', '--replicas=0');
  await waitUntil('the counters say that none is left', async () => (await api.get(deploymentPath(namespace))).status.replicas === undefined);
  expect(gone(await look(), null)).toEqual({ gone: false, left: 3, terminating: 3 });
  await until('no pod is left', (seen) => gone(seen, null).gone);
});
