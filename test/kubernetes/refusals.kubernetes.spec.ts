// What the API answers when a write cannot be made, and what we make of it.
import { beforeAll, expect, inject, it } from 'vitest';
import type { KubernetesOrchestrator } from '#libs/kubernetes';
import { freePort, startGuarded, waitUntil } from '#libs/testing';
import { createAccount } from './plane/accounts.js';
import { openApi } from './plane/api.js';
import { isReady } from './plane/control-plane.js';
import { newPool } from './plane/pool.js';
import { adminApi, deploymentPath, orchestratorWith } from './plane/workers.js';

const { adminToken, server, ca, apiserver } = inject('kubernetes');
const api = adminApi();
const inTime = () => ({ signal: AbortSignal.timeout(10_000) });
let orchestrator: KubernetesOrchestrator;
beforeAll(async () => {
  orchestrator = await orchestratorWith(adminToken);
});

it('a stale version is 409 in one form of patch and 422 in another, and without one the last writer wins', async () => {
  const pool = await newPool(api, orchestrator, { images: ['v2'] });
  const path = deploymentPath(pool.namespace);
  const { metadata } = await api.get(path);
  await api.patch(path, { spec: { replicas: 4 } });
  const stale = metadata.resourceVersion;
  expect(await api.call('PATCH', path, { metadata: { resourceVersion: stale }, spec: { replicas: 5 } }, 'application/merge-patch+json')).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
  const tested = [{ op: 'test', path: '/metadata/resourceVersion', value: stale }, { op: 'replace', path: '/spec/replicas', value: 5 }];
  const refused = await api.call('PATCH', path, tested, 'application/json-patch+json');
  expect(refused).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  // Told apart by this from a write that the cluster finds wrong.
  expect(refused.body).not.toHaveProperty('details.causes');
  expect((await api.get(path)).spec.replicas).toBe(4);
  expect((await api.call('PATCH', path, { spec: { replicas: 5 } }, 'application/merge-patch+json')).status).toBe(200);
});

it('the number of pods alone is written by its own resource, which knows of versions and of dry runs too', async () => {
  const pool = await newPool(api, orchestrator, { images: ['v2'] });
  const path = `${deploymentPath(pool.namespace)}/scale`;
  const scaleTo = (replicas: number, resourceVersion: string, query = '') => api.call('PATCH', `${path}${query}`, { metadata: { resourceVersion }, spec: { replicas } }, 'application/merge-patch+json');
  const { metadata } = await api.get(path);
  expect(await scaleTo(5, metadata.resourceVersion, '?dryRun=All')).toMatchObject({ status: 200, body: { kind: 'Scale', spec: { replicas: 5 } } });
  expect((await api.get(path)).spec.replicas).toBe(3);
  // Of a deployment the version moves with its state, so it is read again until none has moved it.
  await waitUntil('it is scaled', async () => (await scaleTo(4, (await api.get(path)).metadata.resourceVersion)).status === 200);
  expect(await scaleTo(5, metadata.resourceVersion)).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
  expect((await api.get(deploymentPath(pool.namespace))).spec.replicas).toBe(4);
});

it('a token that is unknown is 401, a right that is missing 403, and the server is the version that it is meant to be', async () => {
  const { namespace } = await newPool(api, orchestrator, { images: ['v2'], replicas: 1 });
  const stranger = openApi({ server, ca, token: 'no-such-token' });
  expect(await stranger.call('GET', deploymentPath(namespace))).toMatchObject({ status: 401, body: { reason: 'Unauthorized' } });
  const nobody = openApi({ server, ca, token: await createAccount(api, { namespace, name: 'nobody' }) });
  expect(await nobody.call('GET', deploymentPath(namespace))).toMatchObject({ status: 403, body: { reason: 'Forbidden', message: expect.stringMatching(/cannot get resource "deployments" in API group "apps"/) as string } });
  expect((await api.call('GET', '/version')).body).toMatchObject({ major: '1', minor: '34', gitVersion: 'v1.34.4' });
});

it('a write that the cluster finds wrong is rejected, with its reason, and nothing is changed', async () => {
  const pool = await newPool(api, orchestrator, { images: ['v2'] });
  const seen = await pool.look();
  const failed = orchestrator.apply(pool.target, { replicas: -1 }, seen, inTime());
  await expect(failed).rejects.toMatchObject({ code: 'rejected', message: expect.stringContaining('must be greater than or equal to 0') as string });
  expect(await pool.look()).toMatchObject({ wanted: 3, generation: seen.generation });
});

it('a deployment that was deleted and made anew is another one', async () => {
  const pool = await newPool(api, orchestrator, { images: ['v2'], replicas: 1 });
  const seen = await pool.look();
  await api.remove(deploymentPath(pool.namespace));
  await waitUntil('it is gone', async () => (await api.call('GET', deploymentPath(pool.namespace))).status === 404);
  await expect(orchestrator.apply(pool.target, { replicas: 2 }, seen, inTime())).rejects.toMatchObject({ code: 'not_found' });
  const spec = { replicas: 1, selector: { matchLabels: { app: 'workers' } }, template: { metadata: { labels: { app: 'workers' } }, spec: { containers: [{ name: 'x', image: 'x:v2' }] } } };
  await api.create(deploymentPath(pool.namespace).replace('/workers', ''), { metadata: { name: 'workers' }, spec });
  await expect(orchestrator.apply(pool.target, { replicas: 2 }, { ...seen, generation: 1 }, inTime())).rejects.toMatchObject({ code: 'conflict' });
});

it('an API server that hangs times out; one that has ended is unreachable; once it is back all goes on', async () => {
  const port = await freePort();
  const second = `https://127.0.0.1:${String(port)}`;
  const ownApi = openApi({ server: second, ca, token: adminToken });
  const begin = async () => {
    const started = startGuarded([...apiserver, `--secure-port=${String(port)}`], () => undefined);
    await waitUntil('the second API server is ready', () => isReady(ownApi), { withinMs: 40_000, everyMs: 50 });
    return started;
  };
  const pool = await newPool(api, orchestrator);
  const own = await orchestratorWith(adminToken, second, 1_500);
  let running = await begin();
  try {
    const seen = await own.observe(pool.target, inTime().signal);
    const release = seen.releases.find((one) => one.revision === 'v1')!;
    running.send('SIGSTOP');
    await expect(own.apply(pool.target, { releaseId: release.id, replicas: 3 }, seen, inTime())).rejects.toMatchObject({ code: 'timed_out' });
    await running.end('SIGKILL');
    await expect(own.apply(pool.target, { releaseId: release.id, replicas: 3 }, seen, inTime())).rejects.toMatchObject({ code: 'unreachable' });
    expect(await pool.look()).toMatchObject({ revision: 'v2' });
    running = await begin();
    const { generation } = await own.apply(pool.target, { releaseId: release.id, replicas: 3 }, seen, inTime());
    const written = { releaseId: release.id, revision: 'v1', replicas: 3, generation, atMs: 0 };
    await pool.until('v1 is out', (now) => pool.state(now, written).state === 'done');
  } finally {
    await running.end('SIGKILL');
  }
});
