// Who is asked, reached, counted and let in: a selector or a probe that means somebody else is accepted by every API server.
import { beforeAll, describe, expect, it } from 'vitest';
import { render, valuesFile, type Manifest } from './chart.js';

type Labels = Readonly<Record<string, string>>;

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
}
interface Pods {
  readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: { readonly containers: readonly [Container] } };
}
interface Selecting {
  readonly selector: Labels & { readonly matchLabels?: Labels };
  readonly podSelector?: { readonly matchLabels: Labels };
  readonly ingress?: readonly { readonly ports: readonly { readonly port: string; readonly protocol: string }[] }[];
}

const podsOf = ({ spec }: Manifest): Pods => spec as unknown as Pods;
const selectingOf = ({ spec }: Manifest): Selecting => spec as unknown as Selecting;
const labelled = (labels: Labels, wanted: Labels): boolean => Object.entries(wanted).every(([name, value]) => labels[name] === value);

describe.each([
  ['one Deployment', [], ['jobwarden']],
  ['one for each role', ['--set', 'roles.apart=true'], ['jobwarden-api', 'jobwarden-work']],
])('with %s', (_, more, deployments) => {
  let manifests: readonly Manifest[];
  beforeAll(async () => {
    const everything = ['--set', 'migration.mode=hook', '--set', 'metrics.serviceMonitor.enabled=true', '--set', 'metrics.serviceMonitor.tokenSecret=t'];
    manifests = await render(['--values', valuesFile('minimal'), ...everything, ...more]);
  });

  const named = (kind: string, name: string): Manifest => {
    const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
    if (found === undefined) throw new Error(`no ${kind} ${name}`);
    return found;
  };
  const pods = (): readonly (readonly [string, Labels])[] =>
    manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map((one) => [one.metadata.name, podsOf(one).template.metadata.labels]);
  /** Of the pods of Deployments and Jobs, whose are meant. */
  const meantBy = (wanted: Labels): readonly string[] => pods().filter(([, labels]) => labelled(labels, wanted)).map(([name]) => name);
  const answering = deployments[0] as string;

  it('each container is asked whether it lives where no database is needed, and whether it serves where it is', () => {
    for (const name of deployments) {
      const [{ startupProbe, livenessProbe, readinessProbe, ports }] = podsOf(named('Deployment', name)).template.spec.containers;
      // Alive without its database: to restart it would mend nothing.
      expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual(['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'http' })));
      expect(ports).toEqual([{ name: 'http', containerPort: 7411 }]);
    }
  });

  it('each Deployment has its own pods, and no budget counts those of another, or of a migration', () => {
    for (const name of deployments) {
      expect(meantBy(selectingOf(named('Deployment', name)).selector.matchLabels ?? {})).toEqual([name]);
      expect(meantBy(selectingOf(named('PodDisruptionBudget', name)).selector.matchLabels ?? {})).toEqual([name]);
    }
  });

  it('calls reach who answers them, and figures are read of each that serves', () => {
    expect(meantBy(selectingOf(named('Service', 'jobwarden')).selector)).toEqual([answering]);
    expect(meantBy(selectingOf(named('Service', 'jobwarden-metrics')).selector)).toEqual(deployments);
    const monitored = selectingOf(named('ServiceMonitor', 'jobwarden')).selector.matchLabels ?? {};
    const services = manifests.filter(({ kind, metadata }) => kind === 'Service' && labelled(metadata.labels ?? {}, monitored)).map(({ metadata }) => metadata.name);
    expect(services).toEqual(['jobwarden-metrics']);
  });

  it('nobody is let in but to the port of the service, and a migration is not held to it', () => {
    const { podSelector, ingress } = selectingOf(named('NetworkPolicy', 'jobwarden'));
    expect(meantBy(podSelector?.matchLabels ?? {})).toEqual(deployments);
    expect(ingress?.map(({ ports }) => ports)).toEqual([[{ port: 'http', protocol: 'TCP' }]]);
  });
});
