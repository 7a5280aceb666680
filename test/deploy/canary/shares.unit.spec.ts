import { describe, expect, it } from 'vitest';
import { shippedIn, specOf } from './manifests.js';
import { argoReplicas, flaggerReplicas, shareOf, type Bounds, type FlaggerSpec, type RolloutSpec } from './replicas.js';

/** About one in ten. */
const LEAST = 0.08;
const MOST = 0.12;

describe('the Canary that is shipped', () => {
  const manifests = shippedIn('flagger/canary.yaml');
  const canary = specOf(manifests, 'Canary') as FlaggerSpec;
  const target = specOf(manifests, 'Deployment') as { replicas?: number };
  const autoscaler = manifests.find(({ kind, metadata }) => kind === canary.autoscalerRef?.kind && metadata.name === canary.autoscalerRef.name);

  it('makes about one worker in ten the canary', () => {
    const share = shareOf(flaggerReplicas(target, canary, (autoscaler?.spec ?? null) as Bounds | null));
    expect(share).toBeGreaterThanOrEqual(LEAST);
    expect(share).toBeLessThanOrEqual(MOST);
  });

  it('leaves it to Flagger when the canary starts: a number of replicas would start it with the apply, before the gate is asked', () => {
    expect(target.replicas).toBeUndefined();
  });

  it('would be one in two without an autoscaler, as stable has as many as the target', () => {
    expect(shareOf(flaggerReplicas({ replicas: 1 }, {}, null))).toBe(0.5);
    expect(shareOf(flaggerReplicas({}, { autoscalerRef: { kind: 'HorizontalPodAutoscaler', name: 'mailer' } }, { minReplicas: 1, maxReplicas: 1 }))).toBe(0.5);
  });
});

describe('the Rollout that is shipped', () => {
  const rollout = specOf(shippedIn('argo-rollouts/rollout.yaml'), 'Rollout') as RolloutSpec;

  it('makes about one worker in ten the canary while it is looked at', () => {
    const share = shareOf(argoReplicas(rollout));
    expect(share).toBeGreaterThanOrEqual(LEAST);
    expect(share).toBeLessThanOrEqual(MOST);
  });

  it('would not with few replicas', () => {
    expect(shareOf(argoReplicas({ ...rollout, replicas: 3 }))).toBeGreaterThan(MOST);
  });
});
