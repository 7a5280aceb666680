// What the chart makes, asked of a real API server by `?dryRun=All`: every object, every field of it, and every pod by the strictest of the pod
// security standards. Kinds of others are those that their projects publish.
import { beforeAll, describe, expect, it } from 'vitest';
import { adminApi } from '../../kubernetes/plane/workers.js';
import { ofKind, render, valuesFile, type Manifest } from './chart.js';
import { prepareCluster, tried, triedPod } from './cluster.js';

const api = adminApi();
const minimal = ['--values', valuesFile('minimal')];
const withMonitoring = ['--set', 'metrics.serviceMonitor.enabled=true,metrics.serviceMonitor.tokenSecret=t,metrics.prometheusRule.enabled=true'];
const sets: Readonly<Record<string, readonly string[]>> = {
  'the least': minimal,
  'everything at once': ['--values', valuesFile('production')],
  'no budget, no policy of the network, no spread': [...minimal, '--set', 'podDisruptionBudget.enabled=false,networkPolicy.enabled=false,serviceAccount.create=false', '--set-json', 'topologySpread=[]'],
  'a load balancer, and a policy of yours': [...minimal, '--set', 'service.type=LoadBalancer,policy.existingSecret=ours', '--set-json', 'policy.settings=null'],
};

beforeAll(() => prepareCluster(api));

describe.each(Object.entries(sets))('with %s', (_, args) => {
  it('every object is taken', async () => {
    const manifests = await render(args);
    expect(manifests.length).toBeGreaterThan(3);
    for (const manifest of manifests) {
      const { status, body } = await tried(api, manifest);
      expect([manifest.kind, manifest.metadata.name, status, status === 201 ? '' : body.message]).toEqual([manifest.kind, manifest.metadata.name, 201, '']);
    }
  });

  it('every pod may run where the least is allowed', async () => {
    const made = (await render(args)).filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
    expect(made.length).toBeGreaterThan(0);
    for (const manifest of made) {
      const { status, body } = await triedPod(api, manifest);
      expect([status, body.message]).toEqual([201, undefined]);
    }
  });
});

it('makes every kind that the chart knows, when all is asked for', async () => {
  const kinds = new Set((await render(sets['everything at once']!)).map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual([
    'ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'PrometheusRule', 'Role', 'RoleBinding',
    'ScaledObject', 'Service', 'ServiceAccount', 'ServiceMonitor',
  ]);
});

describe('a fault would be seen', () => {
  const faults: readonly (readonly [kind: string, from: RegExp, to: string, said: RegExp])[] = [
    ['Deployment', /"replicas"/u, '"replica"', /unknown field "spec.replica"/u],
    ['Deployment', /"path":"\/healthz","port":"http"/u, '"path":"/healthz","port":"nothing at all"', /port/u],
    ['Service', /"targetPort":"http"/u, '"targetPort":"http_1"', /targetPort/u],
    ['PodDisruptionBudget', /"maxUnavailable":1/u, '"maxUnavailable":"one"', /maxUnavailable/u],
    ['NetworkPolicy', /"protocol":"TCP"/u, '"protocol":"HTTP"', /protocol/u],
    ['ServiceMonitor', /"interval":"15s"/u, '"interval":"soon"', /interval/u],
    ['ServiceMonitor', /"credentials"/u, '"credential"', /unknown field/u],
    ['PrometheusRule', /"expr"/u, '"expression"', /expr/u],
    ['ScaledObject', /"maxReplicaCount":20/u, '"maxReplicaCount":"20"', /maxReplicaCount/u],
    ['ScaledObject', /"currentReplicasIfHigher"/u, '"asBefore"', /behavior/u],
  ];

  it.each(faults)('%s: %s becomes %s', async (kind, from, to, said) => {
    const args = kind === 'ScaledObject' ? sets['everything at once']! : [...minimal, ...withMonitoring];
    const text = JSON.stringify(ofKind(await render(args), kind)[0]);
    expect(text).toMatch(from);
    const { status, body } = await tried(api, JSON.parse(text.replace(from, to)) as Manifest);
    expect([status >= 400, body.message]).toEqual([true, expect.stringMatching(said)]);
  });

  it.each(['podSecurityContext.seccompProfile=null', 'podSecurityContext.runAsNonRoot=false', 'securityContext.allowPrivilegeEscalation=true'])('a pod with %s', async (set) => {
    const { status, body } = await triedPod(api, ofKind(await render([...minimal, '--set-json', set]), 'Deployment')[0]!);
    expect([status, body.message]).toEqual([403, expect.stringContaining('violates PodSecurity "restricted')]);
  });
});
