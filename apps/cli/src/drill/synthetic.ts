import { DRILL_NAMESPACE, DRILL_QUEUE } from '#libs/domain';

/** Long enough for a loaded service to take its events first, and nobody has to wait for it. */
const LEASE_MS = 1_000;

/** A job of the drill whose worker begins it and falls silent. */
export function stuckJob(drill: string): readonly object[] {
  const event = (type: string, data: object): object => ({
    ...{ specversion: '1.0', id: `${drill}-${type}`, source: '/jobwarden/drill', subject: drill, namespace: DRILL_NAMESPACE },
    ...{ type: `jobwarden.job.${type}.v1`, data: { queue: DRILL_QUEUE, kind: 'drill', ...data } },
  });
  return [event('queued', {}), event('started', { worker: { id: `drill-${drill}` }, leaseMs: LEASE_MS })];
}

/** By these an alert asks for what a rollback is for, of the only queue in which nothing is ever done. */
export const LABELS = { alertname: 'JobwardenDrill', action: 'trigger-rollback', drill: 'true', queue: DRILL_QUEUE, jobwarden_namespace: DRILL_NAMESPACE } as const;

/** What Alertmanager would send. */
export function alerts(drill: string, status: 'firing' | 'resolved', startsAt: string, fingerprint = `drill-${drill}`): object {
  return { version: '4', status, truncatedAlerts: 0, alerts: [{ status, labels: LABELS, annotations: {}, startsAt, fingerprint }] };
}

export const OF_DRILLS = { namespace: DRILL_NAMESPACE, queue: DRILL_QUEUE } as const;
