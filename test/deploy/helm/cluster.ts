// A real API server asked whether it would take what the chart makes. Nothing of it is kept but the namespaces, and the account that pods need.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '#libs/testing';
import type { Api, ApiAnswer } from '../../kubernetes/plane/api.js';
import { repository } from '../repository.js';
import type { Manifest } from './chart.js';

/** Where objects of a kind are made. */
const PLURALS: Readonly<Record<string, string>> = { NetworkPolicy: 'networkpolicies', Ingress: 'ingresses', Canary: 'canaries' };
const pluralOf = (kind: string) => PLURALS[kind] ?? `${kind.toLowerCase()}s`;

type Named = Pick<Manifest, 'apiVersion' | 'kind' | 'metadata'>;

function pathOf({ apiVersion, kind, metadata }: Named): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${group}/namespaces/${metadata.namespace ?? 'jobwarden'}/${pluralOf(kind)}`;
}

/** What it would answer; unknown fields are refused as well. */
export const tried = (api: Api, manifest: Named): Promise<ApiAnswer> => api.call('POST', `${pathOf(manifest)}?dryRun=All&fieldValidation=Strict`, manifest);

/** Where only what the strictest of the pod security standards allows may run. Accounts are as in the chart's own, whose objects are never kept. */
const STRICT = 'strict';

/** A pod of this template there. */
export const triedPod = (api: Api, { metadata, spec }: Manifest): Promise<ApiAnswer> =>
  api.call('POST', `/api/v1/namespaces/${STRICT}/pods?dryRun=All&fieldValidation=Strict`, { ...spec.template, metadata: { name: metadata.name, ...spec.template.metadata } });

/** Spec files share the cluster: another one may have made it already. */
async function ensure(api: Api, path: string, body: unknown): Promise<void> {
  const answer = await api.call('POST', path, body);
  if (answer.status >= 300 && answer.status !== 409) throw new Error(`${path}: ${String(answer.status)} ${JSON.stringify(answer.body)}`);
}

/** Namespaces that the values name, the one for pods, and the kinds of others. */
export async function prepareCluster(api: Api): Promise<void> {
  for (const name of ['jobwarden', 'shop', 'billing']) await ensure(api, '/api/v1/namespaces', { metadata: { name } });
  await ensure(api, '/api/v1/namespaces', { metadata: { name: STRICT, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } });
  await ensure(api, `/api/v1/namespaces/${STRICT}/serviceaccounts`, { metadata: { name: 'jobwarden' } });
  await ensure(api, '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 1_000 });
  const kinds = join(repository, 'test/deploy/kinds');
  for (const file of readdirSync(kinds).filter((name) => name.endsWith('.json'))) await serve(api, JSON.parse(readFileSync(join(kinds, file), 'utf8')) as Kind);
  const account = `/api/v1/namespaces/${STRICT}/serviceaccounts/default`;
  await waitUntil('the default account', async () => (await api.call('GET', account)).status === 200, { withinMs: 20_000, everyMs: 20 });
}

interface Kind {
  readonly spec: { readonly group: string; readonly names: { readonly plural: string }; readonly versions: readonly [{ readonly name: string }] };
}

async function serve(api: Api, kind: Kind): Promise<void> {
  const { group, names, versions } = kind.spec;
  await ensure(api, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', kind);
  const path = `/apis/${group}/${versions[0].name}/${names.plural}`;
  await waitUntil(`${names.plural} are served`, async () => (await api.call('GET', path)).status === 200, { withinMs: 20_000, everyMs: 20 });
}
