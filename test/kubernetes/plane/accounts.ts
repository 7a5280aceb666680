// Service accounts, with the rights that deploy/kubernetes/rbac.yaml gives and no other.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { waitUntil } from '#libs/testing';
import type { Api } from './api.js';

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface Account {
  readonly namespace: string;
  readonly name: string;
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
// Compiled or not, the manifest lies in the repository.
const root = join(import.meta.dirname, '../../..').replace(/[\\/]dist$/, '');
const MANIFEST = join(root, 'deploy/kubernetes/rbac.yaml');

/** The rules of the shipped Role, for a Deployment, and a scaled object, of this name. */
export function shippedRules(workers: string): readonly Rule[] {
  const documents = parseAllDocuments(readFileSync(MANIFEST, 'utf8')).map((document) => document.toJS() as { readonly kind: string; readonly rules: readonly Rule[] });
  const role = documents.find(({ kind }) => kind === 'Role');
  if (role === undefined) throw new Error(`${MANIFEST} has no Role`);
  return role.rules.map((rule) => (rule.resourceNames === undefined ? rule : { ...rule, resourceNames: [workers] }));
}

/** Answers its token. The namespace is there. */
export async function createAccount(api: Api, { namespace, name }: Account): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await api.create(accounts, { metadata: { name } });
  const { status } = await api.create(`${accounts}/${name}/token`, { spec: { expirationSeconds: 24 * 3_600 } });
  return status.token ?? '';
}

/** In this namespace, by a Role and a binding of the account's name. Resolves when the cluster goes by it: roles are read as a whole, so the first rule tells. */
export async function grant(api: Api, { namespace, account, rules }: { readonly namespace: string; readonly account: Account; readonly rules: readonly Rule[] }): Promise<void> {
  const { name } = account;
  const [first] = rules;
  if (first === undefined) return;
  await api.create(`${RBAC}/namespaces/${namespace}/roles`, { metadata: { name }, rules });
  await api.create(`${RBAC}/namespaces/${namespace}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  const resourceAttributes = { namespace, verb: first.verbs[0], group: first.apiGroups[0], resource: first.resources[0], name: first.resourceNames?.[0] };
  const spec = { user: `system:serviceaccount:${account.namespace}:${name}`, groups: ['system:serviceaccounts', 'system:authenticated'], resourceAttributes };
  await waitUntil('the account has its rights', async () => {
    const answer = await api.create(REVIEWS, { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec });
    return (answer.status as { allowed?: boolean }).allowed === true;
  });
}
