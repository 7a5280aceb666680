// deploy/kubernetes/rbac.yaml with a real service account: it is enough, and each verb of it is needed for something that has a name.
import { beforeAll, describe, expect, it } from 'vitest';
import type { OrchestratorError } from '#libs/application';
import type { WorkloadSeen } from '#libs/domain';
import type { KubernetesOrchestrator } from '#libs/kubernetes';
import { createAccount, grant, shippedRules, type Rule } from './plane/accounts.js';
import { installKeda, scaledObject } from './plane/keda.js';
import { adminApi, deploymentPath, deployWorkers, newNamespace, orchestratorWith } from './plane/workers.js';

const api = adminApi();
const rules = shippedRules('workers');
const inTime = () => ({ signal: AbortSignal.timeout(10_000) });

let namespace = '';
let target = '';
beforeAll(async () => {
  namespace = await newNamespace(api);
  target = `${namespace}/workers`;
  await deployWorkers(api, namespace);
  await api.create(await installKeda(api, namespace), scaledObject('workers'));
});

let accounts = 0;
/** A service account with these rules, once the cluster knows that it has them. */
async function accountWith(granted: readonly Rule[]): Promise<KubernetesOrchestrator> {
  const account = { namespace, name: `account-${String(accounts++)}` };
  const token = await createAccount(api, account);
  // What is asked for until the cluster goes by them; none of what is granted is sure to be in every set of rules.
  const marker: Rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] };
  await grant(api, { namespace, account, rules: [marker, ...granted] });
  return await orchestratorWith(token);
}

const isolate = (orchestrator: KubernetesOrchestrator, seen: WorkloadSeen) => orchestrator.apply(target, { replicas: seen.wanted + 1, pauseScaler: true }, seen, { ...inTime(), dryRun: true });

it('is enough for a look, for a write and for pausing an autoscaler', async () => {
  const orchestrator = await accountWith(rules);
  const seen = await orchestrator.observe(target, inTime().signal);
  expect(seen).toMatchObject({ revision: 'v2', unseen: [], scaler: { kind: 'keda' } });
  expect(await isolate(orchestrator, seen)).toMatchObject({ changed: true });
  const release = seen.releases.find((one) => one.revision === 'v1')!;
  expect(await orchestrator.apply(target, { releaseId: release.id, replicas: 2 }, seen, { ...inTime(), dryRun: true })).toMatchObject({ changed: true });
});

describe('without one of its verbs', () => {
  const look = (orchestrator: KubernetesOrchestrator) => orchestrator.observe(target, inTime().signal);
  const roll = async (orchestrator: KubernetesOrchestrator) => {
    const seen = await look(orchestrator);
    return orchestrator.apply(target, { replicas: seen.wanted + 1 }, seen, { ...inTime(), dryRun: true });
  };
  const pause = async (orchestrator: KubernetesOrchestrator) => isolate(orchestrator, await look(orchestrator));
  /** An autoscaler that cannot be looked at stops no rollback: the look says so. */
  const knowTheScaler = async (orchestrator: KubernetesOrchestrator) => {
    const { unseen } = await look(orchestrator);
    if (unseen.length > 0) throw Object.assign(new Error(unseen.join()), { code: 'forbidden' });
  };

  it.each([
    ['get deployments', 'a look', look],
    ['patch deployments', 'a rollback', roll],
    ['list replicasets', 'a look', look],
    ['list pods', 'a look', look],
    ['list horizontalpodautoscalers', 'knowing the autoscaler', knowTheScaler],
    ['list scaledobjects', 'pausing KEDA', pause],
    ['patch scaledobjects', 'pausing KEDA', pause],
  ] as const)('(%s) %s is forbidden, and the right is named', async (right, _, operation) => {
    const [verb = '', resource = ''] = right.split(' ');
    const without = rules
      .map((rule) => ({ ...rule, verbs: rule.resources.includes(resource) ? rule.verbs.filter((one) => one !== verb) : rule.verbs }))
      .filter((rule) => rule.verbs.length > 0);
    expect(without).not.toEqual(rules);
    const orchestrator = await accountWith(without);
    const error: unknown = await operation(orchestrator).then(() => null, (reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'forbidden' });
    expect((error as OrchestratorError).message).toMatch(new RegExp(`^${verb} ${resource}\\S* .*: this right is missing; deploy/kubernetes/rbac.yaml grants it$`));
  });

  it('there is none that this page does not know', () => {
    const granted = rules.flatMap((rule) => rule.verbs.flatMap((verb) => rule.resources.map((resource) => `${verb} ${resource}`)));
    expect(granted.sort()).toEqual(
      ['get deployments', 'patch deployments', 'list replicasets', 'list pods', 'list horizontalpodautoscalers', 'list scaledobjects', 'patch scaledobjects'].sort(),
    );
  });
});

it('does not reach another deployment, and nobody without credentials reaches any', async () => {
  const orchestrator = await accountWith(rules);
  await api.create(deploymentPath(namespace).replace('/workers', ''), {
    metadata: { name: 'others' },
    spec: { replicas: 0, selector: { matchLabels: { app: 'others' } }, template: { metadata: { labels: { app: 'others' } }, spec: { containers: [{ name: 'x', image: 'x' }] } } },
  });
  await expect(orchestrator.observe(`${namespace}/others`, inTime().signal)).rejects.toMatchObject({ code: 'forbidden' });
  const stranger = await orchestratorWith('no-such-token');
  await expect(stranger.observe(target, inTime().signal)).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('does not accept the credentials') as string });
});
