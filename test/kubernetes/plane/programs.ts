import { join } from 'node:path';
import { goPrograms, type BuildOptions, type GoModule } from './go-programs.js';

const VERSION = 'v1.34.4';
/** Without it the server calls itself v0.0.0. */
const set = {
  'k8s.io/component-base/version.gitVersion': VERSION,
  'k8s.io/component-base/version.gitMajor': '1',
  'k8s.io/component-base/version.gitMinor': '34',
};

/** With an empty build cache it takes about five minutes. */
const CONTROL_PLANE: GoModule = {
  title: `Kubernetes ${VERSION}`,
  name: `kubernetes-${VERSION.slice(1)}`,
  sources: 'test/kubernetes/control-plane',
  programs: [
    { name: 'kube-apiserver', set },
    { name: 'kube-controller-manager', set },
    { name: 'kubectl', set },
  ],
};

export interface ControlPlanePrograms {
  readonly apiserver: string;
  readonly controllerManager: string;
  readonly kubectl: string;
}

/** Builds them where they are missing. @throws with Go's output. */
export async function controlPlanePrograms(options: BuildOptions): Promise<ControlPlanePrograms> {
  const folder = await goPrograms(CONTROL_PLANE, options);
  return { apiserver: join(folder, 'kube-apiserver'), controllerManager: join(folder, 'kube-controller-manager'), kubectl: join(folder, 'kubectl') };
}
