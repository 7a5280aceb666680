import { describe, expect, it } from 'vitest';
import { filesIn, shippedIn, specOf } from './manifests.js';
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

interface Variable {
  readonly name: string;
  readonly value?: string;
}
interface Workers {
  readonly replicas: number;
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly template: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly spec: { readonly containers: readonly [{ readonly image: string; readonly env: readonly Variable[] }] };
  };
}

it('has two Deployments for each binding', () => {
  expect(filesIn('canary')).toEqual(['canary/kafka-workers.yaml', 'canary/queue-workers.yaml', 'canary/webhook-workers.yaml']);
});

describe.each(filesIn('canary'))('the workers that are shipped in %s', (file) => {
  const manifests = shippedIn(file);
  const [stable, canary] = manifests.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec as Workers) as [Workers, Workers];
  const envOf = ({ template }: Workers) => Object.fromEntries(template.spec.containers[0].env.map(({ name, value }) => [name, value]));

  it('are about one in ten the canary', () => {
    const share = shareOf({ canary: canary.replicas, stable: stable.replicas });
    expect(share).toBeGreaterThanOrEqual(LEAST);
    expect(share).toBeLessThanOrEqual(MOST);
  });

  it('differ in the image and in two variables, and in nothing else that they read', () => {
    const { JOBWARDEN_TRACK: old, JOBWARDEN_REVISION: before, ...same } = envOf(stable);
    const { JOBWARDEN_TRACK: track, JOBWARDEN_REVISION: revision, ...others } = envOf(canary);
    expect([old, track]).toEqual(['stable', 'canary']);
    expect(revision).not.toBe(before);
    expect(others).toEqual(same);
    const [images, revisions] = [[stable, canary].map(({ template }) => template.spec.containers[0].image.split(':')), [before, revision]];
    expect(images).toEqual(revisions.map((tag) => [images[0]?.[0], tag]));
  });

  it('are told apart by their Deployments, and by no Service', () => {
    for (const { selector, template } of [stable, canary]) expect(template.metadata.labels).toEqual(selector.matchLabels);
    expect(stable.selector.matchLabels).not.toEqual(canary.selector.matchLabels);
    for (const { spec } of manifests.filter(({ kind }) => kind === 'Service')) {
      const { selector } = spec as { selector: Record<string, string> };
      for (const { template } of [stable, canary]) expect(template.metadata.labels).toMatchObject(selector);
    }
  });
});
