import { counter, gauge } from './metric-spec.js';

const QUEUE = { queue: 'queue' } as const;

/** Of what keeps recovery from making it worse, and of what somebody has to look at. */
export const GUARDS = {
  jobsHeld: gauge(
    'jobwarden_jobs_held',
    'Jobs of which a decision is due and not made, by what holds it. Exported by one replica.',
    'jobs',
    { labels: { by: { atMost: 16 } }, merge: 'sum' },
  ),
  recoveryHeld: gauge(
    'jobwarden_recovery_held',
    '1 while the recovery of a queue is held by a blackout, or only probed; else absent. Exported by one replica.',
    'queues',
    { labels: { queue: 'queue', by: ['blackout', 'probing'] }, merge: 'sum' },
  ),
  restored: gauge(
    'jobwarden_restored',
    '1 while the database counts as restored from a backup, and nothing is decided or sent: until `jobwarden recover`, and for its time of observing. Else 0.',
    'databases',
    { labels: {}, merge: 'max' },
  ),
  budgetSpent: counter('jobwarden_budget_spent_total', 'Commands that took a token of the budget.', 'commands', QUEUE),
  budgetDenied: counter(
    'jobwarden_budget_denied_total',
    'Looks at which there was no token: the job waits for its turn.',
    'looks',
    QUEUE,
  ),
  alerts: counter('jobwarden_alerts_total', 'Alerts that came in by the webhook, by what became of them.', 'alerts', {
    outcome: ['signal', 'repeated', 'resolved', 'refused', 'ignored'],
  }),
  incidentsOpen: gauge(
    'jobwarden_incidents_open',
    'Incidents that are open, by kind. Exported by one replica.',
    'incidents',
    { labels: { kind: { atMost: 32 } }, merge: 'sum' },
  ),
} as const;
