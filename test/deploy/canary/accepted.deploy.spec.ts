// Manifests for canaries, asked of a real API server by `?dryRun=All`: every object, and every field of it. Kinds of others are those that their
// projects publish.
import { beforeAll, describe, expect, it } from 'vitest';
import { adminApi } from '../../kubernetes/plane/workers.js';
import { prepareCluster, tried } from '../helm/cluster.js';
import { filesIn, shippedIn, type Shipped } from './manifests.js';

const api = adminApi();
const FILES = ['argo-rollouts', 'canary', 'flagger'].flatMap(filesIn);

beforeAll(() => prepareCluster(api));

/** A Rollout's pods as a Deployment's, whose every field the server knows. */
function withPods(manifests: readonly Shipped[]): readonly Shipped[] {
  return manifests.flatMap((manifest) => {
    if (manifest.kind !== 'Rollout') return [manifest];
    const { selector, template } = manifest.spec as { selector: unknown; template: unknown };
    return [manifest, { ...manifest, apiVersion: 'apps/v1', kind: 'Deployment', spec: { selector, template } }];
  });
}

const answerTo = async (manifest: Shipped) => {
  const { status, body } = await tried(api, manifest);
  return [manifest.kind, status, status === 201 ? '' : body.message];
};

it.each(FILES)('every object of %s is taken', async (file) => {
  for (const manifest of withPods(shippedIn(file))) expect(await answerTo(manifest)).toEqual([manifest.kind, 201, '']);
});

describe('a fault would be seen', () => {
  const faults: readonly (readonly [file: string, kind: string, from: RegExp, to: string, said: RegExp])[] = [
    ['argo-rollouts/analysis-template.yaml', 'AnalysisTemplate', /"inconclusiveLimit"/u, '"inconclusiveLimits"', /unknown field "spec.metrics\[0\].inconclusiveLimits"/u],
    ['argo-rollouts/rollout.yaml', 'Rollout', /"setWeight":10\b/u, '"setWeight":"10 %"', /setWeight/u],
    ['argo-rollouts/rollout.yaml', 'Deployment', /"fieldPath"/u, '"fieldpath"', /unknown field .*fieldpath/u],
    ['flagger/canary.yaml', 'Canary', /"primaryScalerReplicas"/u, '"primaryReplicas"', /unknown field "spec.autoscalerRef.primaryReplicas"/u],
    ['flagger/canary.yaml', 'Canary', /"confirm-promotion"/u, '"confirm-promotions"', /webhooks\[1\].type/u],
    ['flagger/canary.yaml', 'HorizontalPodAutoscaler', /"maxReplicas":1/u, '"maxReplicas":0', /maxReplicas/u],
    ['canary/queue-workers.yaml', 'Deployment', /"track":"stable"/u, '"track":"canary"', /selector/u],
    ['canary/kafka-workers.yaml', 'Deployment', /"maxUnavailable":1/u, '"maxUnavailable":0', /maxUnavailable/u],
    ['canary/webhook-workers.yaml', 'Service', /"targetPort":"http"/u, '"targetPort":"http_1"', /targetPort/u],
  ];

  it('has one in each file', () => {
    expect([...new Set(faults.map(([file]) => file))].sort()).toEqual(FILES.toSorted());
  });

  it.each(faults)('%s, %s: %s becomes %s', async (file, kind, from, to, said) => {
    const text = JSON.stringify(withPods(shippedIn(file)).find((manifest) => manifest.kind === kind));
    expect(text).toMatch(from);
    const { status, body } = await tried(api, JSON.parse(text.replace(from, to)) as Shipped);
    expect([status >= 400, body.message]).toEqual([true, expect.stringMatching(said)]);
  });
});
