import { describe, expect, it } from 'vitest';
import type { Deployment, ObjectMeta, Pod, ReplicaSet } from './objects.js';
import { workloadSeen } from './workload-view.js';

const meta = (name: string, more: Partial<ObjectMeta> = {}): ObjectMeta => ({ name, uid: `uid-${name}`, resourceVersion: '7', ...more });
const ownedBy = (kind: string, name: string) => ({ ownerReferences: [{ kind, uid: `uid-${name}`, controller: true }] });
const template = (image: string) => ({ metadata: { labels: { app: 'workers' } }, spec: { containers: [{ image: `workers:${image}` }] } });

const deployment: Deployment = {
  metadata: meta('workers', { generation: 4 }),
  spec: { replicas: 3, selector: { matchLabels: { app: 'workers' } }, template: template('v2') },
  status: { observedGeneration: 4, replicas: 3, updatedReplicas: 3, availableReplicas: 3 },
};
const set = (image: string, rollout: number, owner = 'workers'): ReplicaSet => ({
  metadata: meta(`${owner}-${image}`, { ...ownedBy('Deployment', owner), annotations: { 'deployment.kubernetes.io/revision': String(rollout) }, creationTimestamp: '2026-01-15T09:30:00Z' }),
  spec: { template: { ...template(image), metadata: { labels: { app: 'workers', 'pod-template-hash': 'abc' } } } },
});
const pod = (name: string, ownerSet: string, more: Partial<Pod> = {}): Pod => ({ metadata: meta(name, ownedBy('ReplicaSet', ownerSet)), ...more });
const view = (more: { deployment?: Deployment; replicaSets?: readonly ReplicaSet[]; pods?: readonly Pod[] }) =>
  workloadSeen({ target: 'shop/workers', deployment, replicaSets: [set('v1', 9), set('v2', 10)], pods: [], scaler: null, unseen: [], ...more });

describe('releases', () => {
  it('are those of this deployment, the newest wish first by number and not by letters', () => {
    const seen = view({ replicaSets: [set('v1', 9), set('v2', 10), set('v7', 99, 'strangers')] });
    expect(seen.releases.map((release) => release.revision)).toEqual(['v2', 'v1']);
    expect(seen.releaseId).toBe('workers-v2');
  });

  it('of which none is the wished one, as long as none was made of it', () => {
    expect(view({ replicaSets: [set('v1', 9)] }).releaseId).toBeNull();
  });
});

describe('pods', () => {
  it('of another deployment with the same labels are not ours; one whose set is gone already is', () => {
    const pods = [pod('ours', 'workers-v2'), pod('theirs', 'strangers-v7'), pod('last', 'workers-v0'), { metadata: meta('bare') }];
    const seen = view({ replicaSets: [set('v2', 10), set('v7', 99, 'strangers')], pods });
    expect(seen.pods.map((one) => one.name)).toEqual(['ours', 'last']);
  });

  it.each<[string, Pod['status'], string | undefined]>([
    ['what its container waits for', { phase: 'Running', containerStatuses: [{ ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } }] }, 'CrashLoopBackOff'],
    ['what its first step ended with', { initContainerStatuses: [{ ready: false, state: { terminated: { reason: 'Error' } } }] }, 'Error'],
    ['that it has no place', { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }, 'Unschedulable'],
    ['its phase', { phase: 'Pending' }, 'Pending'],
    ['nothing, where it is ready', { conditions: [{ type: 'Ready', status: 'True' }] }, undefined],
  ])('say why they are not ready: %s', (_, status, reason) => {
    expect(view({ pods: [pod('one', 'workers-v2', status === undefined ? {} : { status })] }).pods[0]?.reason).toBe(reason);
  });
});

it('conditions of an older wish say nothing of this one', () => {
  const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
  const readUpTo = (observedGeneration: number): Deployment => ({ ...deployment, status: { ...deployment.status, observedGeneration, conditions } });
  expect(view({ deployment: readUpTo(4) }).failure).toBe('ProgressDeadlineExceeded');
  expect(view({ deployment: readUpTo(3) }).failure).toBeNull();
});

it('counters that are not there are 0', () => {
  const { replicas, updated, available, observedGeneration } = view({ deployment: { metadata: deployment.metadata, spec: deployment.spec } });
  expect([replicas, updated, available, observedGeneration]).toEqual([0, 0, 0, 0]);
});

it('which schema a release needs, and where the database is, stand on the objects', () => {
  const v1 = set('v1', 9);
  const needs: ReplicaSet = { ...v1, spec: { template: { ...v1.spec.template, metadata: { annotations: { 'jobwarden.dev/schema': '<=38' } } } } };
  const seen = view({
    replicaSets: [needs],
    deployment: { ...deployment, metadata: meta('workers', { annotations: { 'jobwarden.dev/schema-version': '39' } }) },
  });
  expect(seen.releases[0]?.schema).toBe('<=38');
  expect(seen.schemaVersion).toBe('39');
});
