import { OrchestratorError, type Orchestrator, type Orchestrators } from '#libs/application';
import type { Environment, PolicySource as PolicyFiles } from '#libs/config';
import type { Redactor } from '#libs/contracts';
import { ClusterCalls, KubernetesOrchestrator, openCluster, type ClusterSource } from '#libs/kubernetes';
import { CommandOrchestrator, fileStore, SimulatedOrchestrator, type OrchestratorCommands } from '#libs/orchestrators';

export interface OrchestratorParts {
  readonly environment: Pick<Environment, 'orchestrators'>;
  /** Of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Pick<PolicyFiles, 'current'>;
  /** Of the policy in force. */
  readonly redactor: () => Redactor;
  readonly now: () => number;
}

/** By what a target begins with. The cluster's client is loaded with the first call to it. */
export function buildOrchestrators({ environment, env, files, redactor, now }: OrchestratorParts): Orchestrators {
  const { kubeconfig, simulated } = environment.orchestrators;
  const command = new CommandOrchestrator({
    commands: (name) => commandsOf(name, files, env),
    redact: (text) => redactor().text(text).text,
    environment: env,
  });
  const pools = simulated === null ? null : new SimulatedOrchestrator({ store: fileStore(simulated), now });
  const source: ClusterSource | null = kubeconfig !== null ? { kubeconfigFile: kubeconfig } : env['KUBERNETES_SERVICE_HOST'] === undefined ? null : 'inCluster';
  const cluster = source === null ? null : new LazyKubernetes(source);
  return {
    for(target) {
      if (target.startsWith('command:')) return command;
      if (target.startsWith('simulated:')) return pools ?? none(target, 'JOBWARDEN_SIMULATED is not set');
      return cluster ?? none(target, 'JOBWARDEN_KUBECONFIG is not set, and this is no pod of a cluster');
    },
  };
}

function none(target: string, why: string): never {
  throw new OrchestratorError('unsupported', `${target}: ${why}`);
}

function commandsOf(name: string, files: Pick<PolicyFiles, 'current'>, env: OrchestratorParts['env']): OrchestratorCommands | null {
  const entry = files.current.orchestrators.get(name);
  if (entry === undefined) return null;
  const handedOn = entry.envFrom.flatMap((variable) => (env[variable] === undefined ? [] : [[variable, env[variable]] as const]));
  return { observe: entry.observe, apply: entry.apply, timeoutMs: entry.timeoutMs, env: { ...Object.fromEntries(handedOn), ...entry.env } };
}

class LazyKubernetes implements Orchestrator {
  readonly kind = 'kubernetes';
  private opened: Promise<KubernetesOrchestrator> | null = null;

  constructor(private readonly source: ClusterSource) {}

  async observe(...call: Parameters<Orchestrator['observe']>) {
    return await (await this.open()).observe(...call);
  }

  async apply(...call: Parameters<Orchestrator['apply']>) {
    return await (await this.open()).apply(...call);
  }

  private open(): Promise<KubernetesOrchestrator> {
    const opened = (this.opened ??= openCluster(this.source).then((access) => new KubernetesOrchestrator(new ClusterCalls(access))));
    // A kubeconfig that is mended is read again.
    opened.catch(() => (this.opened = null));
    return opened;
  }
}
