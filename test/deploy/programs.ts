import { join } from 'node:path';
import { goPrograms, type BuildOptions, type GoModule } from '../kubernetes/plane/go-programs.js';

const HELM = 'v3.19.5';
const KUBERNETES = { Major: '1', Minor: '34' };

/** As Helm's own releases have it: which Kubernetes `helm template` and `helm lint` take for the cluster's. */
const kubernetesOf = (pack: string) =>
  Object.fromEntries(Object.entries(KUBERNETES).map(([part, value]) => [`helm.sh/helm/v3/pkg/${pack}.k8sVersion${part}`, value]));

/** With an empty build cache it takes two minutes. */
const CHECKERS: GoModule = {
  title: `Helm ${HELM} and the readers of Docker's files`,
  name: 'deploy-checkers',
  sources: 'test/deploy/checkers',
  programs: [
    { name: 'compose' },
    { name: 'dockerfile' },
    {
      name: 'helm',
      pack: 'helm.sh/helm/v3/cmd/helm',
      set: { 'helm.sh/helm/v3/internal/version.version': HELM, ...kubernetesOf('chartutil'), ...kubernetesOf('lint/rules') },
    },
  ],
};

export interface DeployCheckers {
  /** Of Helm itself. */
  readonly helm: string;
  /** `compose FOLDER [PROFILE]…`, as `docker compose config`. */
  readonly compose: string;
  /** `dockerfile FOLDER`, as `docker build --check`. */
  readonly dockerfile: string;
}

/** Builds them where they are missing. @throws with Go's output. */
export async function deployCheckers(options: BuildOptions): Promise<DeployCheckers> {
  const folder = await goPrograms(CHECKERS, options);
  return { helm: join(folder, 'helm'), compose: join(folder, 'compose'), dockerfile: join(folder, 'dockerfile') };
}
