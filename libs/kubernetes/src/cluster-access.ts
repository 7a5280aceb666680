import type { RequestOptions } from 'node:https';
import { OrchestratorError } from '#libs/application';
import type { ClusterAccess } from './cluster-calls.js';

/** `inCluster`: by the service account of the pod that this process runs in. */
export type ClusterSource = 'inCluster' | { readonly kubeconfigFile: string } | { readonly kubeconfig: string };

/**
 * Where the cluster is and who we are there, from a kubeconfig or from the pod: authorities, certificates, tokens that are renewed on disk, plug-ins that
 * print one, proxies. Nothing is sent yet. The client is loaded here and not before: it takes a second and 80 MB, which services without a cluster are spared.
 *
 * Throws {@link OrchestratorError} `unsupported` where the source is none.
 */
export async function openCluster(source: ClusterSource): Promise<ClusterAccess> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    if (source === 'inCluster') config.loadFromCluster();
    else if ('kubeconfig' in source) config.loadFromString(source.kubeconfig);
    else config.loadFromFile(source.kubeconfigFile);
  } catch (error) {
    throw new OrchestratorError('unsupported', 'the kubeconfig cannot be read', { cause: error });
  }
  const server = config.getCurrentCluster()?.server;
  if (server === undefined || !URL.canParse(server)) throw new OrchestratorError('unsupported', 'the kubeconfig names no cluster as the current one');
  return {
    server: new URL(server),
    options: async () => {
      const options: RequestOptions = {};
      // Each time: a token on disk is renewed about every hour. The connections are kept.
      await config.applyToHTTPSOptions(options);
      return options;
    },
  };
}
