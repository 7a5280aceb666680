// A run from its incident to its end, by the shipped service with a real database, a real cluster and the shipped rights.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { adminApi, applyAs, deploymentPath, deployWorkers } from '../plane/workers.js';
import { SagaStage, type Told } from './stage.js';

describe('the saga on a real control plane', () => {
  const database = useTestDatabase();
  const api = adminApi();
  let stage: SagaStage<'bad' | 'zero' | 'reverted' | 'schema'>;
  beforeAll(async () => {
    stage = await SagaStage.open(database.url, { bad: '', zero: 'scaleToZero: true', reverted: '', schema: '' });
  });
  afterAll(() => stage.close());

  const deployment = async (of: Parameters<typeof stage.namespace>[0]) => await api.get(deploymentPath(stage.namespace(of)));
  const ended = ({ status, steps }: Told) => status !== 'open' || steps.at(-1)?.type === 'escalated';
  const typesOf = ({ steps }: Told) => steps.map(({ type }) => type).filter((type) => type !== 'noted');

  it('takes a bad revision away by one write, and is over with every replica of the good one', async () => {
    await deployWorkers(api, stage.namespace('bad'));
    const before = await deployment('bad');
    await stage.begin('bad');
    const told = await stage.until('bad', ended);
    expect(typesOf(told)).toEqual([
      ...['opened', 'cause-assessed', 'intake-throttled', 'evidence-captured', 'isolated', 'rollback-begun', 'rolled-back', 'replicas-restored', 'verified', 'readmitting', 'resolved'],
    ]);
    const after = await deployment('bad');
    expect(after.spec.template.spec.containers[0].image).toMatch(/:v1$/);
    expect(after).toMatchObject({ metadata: { generation: before.metadata.generation + 1 }, spec: { replicas: 3 }, status: { replicas: 3, updatedReplicas: 3, availableReplicas: 3 } });
    expect(stage.writes('bad')).toEqual({ through: 1, tried: 1 });
  });

  it('killed while the pool is at zero, it goes on and puts back as many as there were: neither 0 nor the autoscaler’s least', async () => {
    const namespace = stage.namespace('zero');
    await deployWorkers(api, namespace, { replicas: 5 });
    await api.create(`/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`, {
      metadata: { name: 'workers-hpa' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'workers' }, minReplicas: 2, maxReplicas: 8 },
    });
    await stage.begin('zero');
    // From here to the first of the three looks that count nothing happens by itself: its clock stands still.
    await stage.until('zero', ({ steps }) => steps.some(({ evidence }) => evidence?.['intends'] === 'scale-to-zero'));
    await waitUntil('the pool is scaled to zero', async () => (await deployment('zero')).spec.replicas === 0);
    await stage.service.kill();
    await stage.service.startAgain();
    const told = await stage.until('zero', ended);
    expect(typesOf(told).slice(-6)).toEqual(['rollback-begun', 'rolled-back', 'replicas-restored', 'verified', 'readmitting', 'resolved']);
    const after = await deployment('zero');
    expect(after.spec.template.spec.containers[0].image).toMatch(/:v1$/);
    expect(after).toMatchObject({ spec: { replicas: 5 }, status: { updatedReplicas: 5, availableReplicas: 5 } });
    // To zero, and to the release with its replicas.
    expect(stage.writes('zero').through).toBe(2);
  });

  it('of a field manager that reverts tells the name, after one more write and no other', async () => {
    const namespace = stage.namespace('reverted');
    await deployWorkers(api, namespace);
    const ending = new AbortController();
    const gitOps = (async () => {
      while (!ending.signal.aborted) {
        const { spec } = await deployment('reverted');
        if (!spec.template.spec.containers[0].image.endsWith(':v2')) await applyAs(api, namespace, 'argocd-controller', 'v2');
        await delay(100);
      }
    })();
    try {
      await stage.begin('reverted');
      const { steps } = await stage.until('reverted', ended);
      expect(steps.at(-1)).toMatchObject({
        type: 'escalated',
        reason: 'argocd-controller wrote v2; v2 stays refused',
        evidence: { code: 'gitops_conflict', manager: 'argocd-controller' },
      });
      expect(stage.writes('reverted').through).toBe(2);
    } finally {
      ending.abort();
      await gitOps;
    }
  });

  it('refuses a release that the database has moved on past, before anything is written', async () => {
    const namespace = stage.namespace('schema');
    await deployWorkers(api, namespace, { annotations: { v1: { 'jobwarden.dev/schema': '<=38' } } });
    await api.patch(deploymentPath(namespace), { metadata: { annotations: { 'jobwarden.dev/schema-version': '39' } } });
    const before = await deployment('schema');
    await stage.begin('schema');
    const { steps } = await stage.until('schema', ended);
    expect(steps.at(-1)).toMatchObject({ type: 'escalated', evidence: { code: 'schema_too_old' } });
    expect(stage.writes('schema')).toEqual({ through: 0, tried: 0 });
    expect((await deployment('schema')).metadata.generation).toBe(before.metadata.generation);
  });
});
