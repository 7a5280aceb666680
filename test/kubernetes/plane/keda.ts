import { waitUntil } from '#libs/testing';
import type { Api } from './api.js';

/** KEDA's kind, as far as it is used, without KEDA; once for all. Answers where its objects of the namespace are. */
export async function installKeda(api: Api, namespace: string): Promise<string> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'scaledobjects.keda.sh' },
    spec: {
      group: 'keda.sh',
      scope: 'Namespaced',
      names: { plural: 'scaledobjects', singular: 'scaledobject', kind: 'ScaledObject', listKind: 'ScaledObjectList' },
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema }],
    },
  });
  const path = `/apis/keda.sh/v1alpha1/namespaces/${namespace}/scaledobjects`;
  await waitUntil('the kind is served', async () => (await api.call('GET', path)).status === 200);
  return path;
}

export const scaledObject = (name: string, spec: object = {}): object => ({
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  metadata: { name },
  spec: { scaleTargetRef: { name: 'workers' }, ...spec },
});
