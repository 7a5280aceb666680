import { MIN_READY_S } from '../stage/pool.js';

/** The run's own times, so that one is over in half a minute; what they are by default stands in the report beside them. */
export const TIMES = {
  leaseMs: 6_000,
  saturation: { windowSeconds: 60, forSeconds: 40, unprocessed: 30, minProcessed: 20 },
  holdSeconds: 2,
} as const;

export const METHOD: readonly string[] = [
  `one run: a Deployment of 4, minReadySeconds ${String(MIN_READY_S)}, on a real control plane (etcd, kube-apiserver, kube-controller-manager; pods by a fake kubelet), a worker of the library for`,
  'each pod that is ready, 4 jobs a second; the good release proves itself, then a release comes that fails every job, which four attempts each make a storm.',
  `saturation window ${String(TIMES.saturation.windowSeconds)} s (default 2 min), for ${String(TIMES.saturation.forSeconds)} s (1 min), more than ${String(TIMES.saturation.unprocessed)} waiting (5,000); each step of readmission ${String(TIMES.holdSeconds)} s (its default stands in docs/rollback.md)`,
  'times are the service’s own, from the steps of the incident: those of a cluster with images to pull and probes to pass come on top',
];

export const RIGHTS = 'the service goes by a service account with the rights of deploy/kubernetes/rbac.yaml in the namespace of each run and no other; the API server records what it does';

/** Queues are named by their runs. */
export function policyOf(queues: readonly { readonly name: string; readonly target: string | null; readonly acts: boolean }[]): string {
  const { leaseMs, saturation, holdSeconds } = TIMES;
  const { windowSeconds, forSeconds, unprocessed, minProcessed } = saturation;
  const lines = queues.map(
    ({ name, target, acts }) =>
      `  ${name}: {actions: {retry: act, requeue: act, deadLetter: act, throttle: ${acts ? 'act' : 'observe'}, rollback: ${acts ? 'act' : 'observe'}}, rollback: {target: ${target ?? 'none'}, approval: false, coolDown: 1m}}`,
  );
  return `
defaults:
  claims: required
  lease: ${String(leaseMs)}ms
  grace: 500ms
  backoff: {initial: 500ms, max: 1s, jitter: 0.2}
  budget: {perSecond: 1000, burst: 1000}
  saturation: {window: ${String(windowSeconds)}s, for: ${String(forSeconds)}s, unprocessed: ${String(unprocessed)}, minProcessed: ${String(minProcessed)}}
  readmit: {hold: ${String(holdSeconds)}s, minSample: 1}
budget: {perSecond: 10000, burst: 10000}
queues:
${lines.join('\n')}
`;
}
