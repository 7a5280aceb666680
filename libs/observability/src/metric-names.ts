import { QUICK_SECONDS } from './buckets.js';
import { DEAD_LETTERS } from './dead-letter-metrics.js';
import { GUARDS } from './guard-metrics.js';
import { INCIDENTS } from './incident-metrics.js';
import { LANES } from './lane-metrics.js';
import { counter, gauge, histogram, type MetricSpec } from './metric-spec.js';
import { PROCESS } from './process-metrics.js';
import { PUBLISHER } from './publisher-metrics.js';
import { QUEUES } from './queue-metrics.js';
import { RECONCILER } from './reconciler-metrics.js';
import { WORKERS } from './worker-metrics.js';

/**
 * The one list of every metric. `worker_…` is about the users' jobs and the names they alert on;
 * `jobwarden_…` is about Jobwarden itself. Labels are bounded by their declaration; a job, worker or event
 * id is never one.
 */
const QUEUE = { queue: 'queue' } as const;

/**
 * From quick messages to jobs of a day. None is more than twice the one before: then no quantile of them is twice the
 * learned one by rounding alone, and an alert on twice as long as usual can be believed.
 */
const RUN_SECONDS = [
  ...[0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.125, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 240, 480, 900],
  ...[1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400],
] as const;
const BATCH = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000] as const;

const JOBS = {
  jobsProcessed: counter(
    'worker_jobs_processed_total',
    'Attempts that ended. A lost lease counts as `lost`, once per attempt, at every level.',
    'attempts',
    { queue: 'queue', status: ['succeeded', 'failed', 'lost'] },
  ),
  jobsFailed: counter('worker_jobs_failed_total', 'Attempts that failed or were lost.', 'attempts', QUEUE),
  unprocessedMessages: gauge(
    'worker_queue_unprocessed_messages',
    'Jobs that wait for a worker: as the native queue says (`queue.state`, at most two minutes ago), else as counted here. Absent when unknown, never 0 instead. Exported by one replica.',
    'jobs',
    { labels: QUEUE, merge: 'sum' },
  ),
  jobRunTime: histogram(
    'worker_job_run_seconds',
    'Run time of attempts that succeeded, anomalies left out.',
    'seconds',
    {
      labels: QUEUE,
      buckets: RUN_SECONDS,
    },
  ),
  jobsRetried: counter('worker_jobs_retried_total', 'Retries scheduled after a failure.', 'jobs', QUEUE),
  jobsRequeued: counter(
    'worker_jobs_requeued_total',
    'Requeues granted, each with a new attempt and token.',
    'jobs',
    QUEUE,
  ),
  leaseRenewalsFailed: counter(
    'worker_lease_renewals_failed_total',
    'Lease renewals that failed, as workers reported them.',
    'renewals',
    QUEUE,
  ),
  oldestUnresolved: gauge(
    'jobwarden_oldest_unresolved_seconds',
    'How long the verdict that is overdue longest has not been given, because something holds it or nobody looked; 0: none is. Exported by one replica.',
    'seconds',
    { labels: QUEUE, merge: 'max' },
  ),
} as const;

const INTAKE = {
  ingested: counter('jobwarden_ingest_events_total', 'Events that came in, by what became of them.', 'events', {
    outcome: ['appended', 'duplicate', 'recorded', 'refused', 'quarantined'],
  }),
  quarantined: counter('jobwarden_quarantined_events_total', 'Events put in quarantine, by reason.', 'events', {
    reason: [
      'unreadable',
      'unknown_type',
      'schema',
      'id_reused',
      'decision_from_outside',
      'too_old',
      'too_large',
      'unstorable',
    ],
  }),
  anomalies: counter('jobwarden_anomalies_total', 'Contradictions found by the fold, by code.', 'anomalies', {
    code: { atMost: 32 },
  }),
  appendDuration: histogram(
    'jobwarden_append_duration_seconds',
    'Time of one append with its fold, commit included.',
    'seconds',
    {
      labels: {},
      buckets: QUICK_SECONDS,
    },
  ),
  appendBatch: histogram('jobwarden_append_batch_events', 'Events committed together.', 'events', {
    labels: {},
    buckets: BATCH,
  }),
  auditedRows: counter('jobwarden_audited_rows_total', 'Rows that were compared with the fold of their events.', 'rows', {}),
  refoldedRows: counter(
    'jobwarden_refolded_rows_total',
    'Rows moved to the fold version in force, after a switch.',
    'rows',
    {},
  ),
  projectionDrift: counter(
    'jobwarden_projection_drift_total',
    'Rows that were not equal to the fold of their events.',
    'rows',
    {},
  ),
} as const;

const SERVICE = {
  poolInUse: gauge('jobwarden_database_pool_in_use', 'Database connections in use by this process.', 'connections', {
    labels: {},
    merge: 'sum',
  }),
  poolWaiting: gauge('jobwarden_database_pool_waiting', 'Callers that wait for a database connection.', 'callers', {
    labels: {},
    merge: 'sum',
  }),
  oldestXminAge: gauge(
    'jobwarden_oldest_xmin_age_seconds',
    'Age of the oldest open transaction in the database, which keeps dead rows. Exported by one replica.',
    'seconds',
    { labels: {}, merge: 'max' },
  ),
  deadRows: gauge(
    'jobwarden_dead_rows_ratio',
    'Dead rows of a table over all of its rows, as the server estimates them. Exported by one replica.',
    'ratio',
    { labels: { table: { atMost: 64 } }, merge: 'max' },
  ),
  policyReloadFailed: gauge(
    'jobwarden_policy_reload_failed',
    '1 while the policy file has faults and the one before is in force.',
    'boolean',
    {
      labels: {},
      merge: 'max',
    },
  ),
  httpDuration: histogram(
    'jobwarden_http_request_duration_seconds',
    'Time from request to the end of the answer; streams are left out.',
    'seconds',
    {
      labels: {
        method: ['GET', 'POST', 'PUT', 'DELETE', 'other'],
        route: { atMost: 200 },
        status: ['1xx', '2xx', '3xx', '4xx', '5xx'],
      },
      buckets: QUICK_SECONDS,
    },
  ),
} as const;

export const METRICS = {
  ...JOBS,
  ...QUEUES,
  ...WORKERS,
  ...INTAKE,
  ...DEAD_LETTERS,
  ...GUARDS,
  ...INCIDENTS,
  ...LANES,
  ...RECONCILER,
  ...PUBLISHER,
  ...SERVICE,
  ...PROCESS,
} as const satisfies Record<string, MetricSpec>;

export type MetricKey = keyof typeof METRICS;
