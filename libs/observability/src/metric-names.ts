import { DEAD_LETTERS } from './dead-letter-metrics.js';
import { GUARDS } from './guard-metrics.js';
import { LANES } from './lane-metrics.js';
import { counter, gauge, histogram, type MetricSpec } from './metric-spec.js';

/**
 * The one list of every metric. `worker_…` is about the users' jobs and the names they alert on;
 * `jobwarden_…` is about Jobwarden itself. Labels are bounded by their declaration; a job, worker or event
 * id is never one.
 */
const QUEUE = { queue: 'queue' } as const;

/** From quick messages to jobs of a day. */
const RUN_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400] as const;
const QUICK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const;
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

const RECONCILER = {
  verdicts: counter('jobwarden_verdicts_total', 'Verdicts on jobs that fell due, at every level.', 'verdicts', {
    queue: 'queue',
    verdict: ['lost', 'hung', 'starved'],
  }),
  verdictsHeld: counter(
    'jobwarden_verdicts_held_total',
    'Looks at due jobs that ended without a decision, by what held it.',
    'verdicts',
    {
      by: { atMost: 16 },
    },
  ),
  wrongActs: counter(
    'jobwarden_wrong_acts_total',
    'Attempts that were given up and then showed that they were alive.',
    'acts',
    { queue: 'queue', action: ['retry', 'requeue', 'deadLetter', 'throttle', 'rollback'] },
  ),
  levelFallbacks: counter(
    'jobwarden_level_fallbacks_total',
    'Actions that fell back from act to observe because one of their acts was wrong.',
    'fallbacks',
    { queue: 'queue', action: ['retry', 'requeue', 'deadLetter', 'throttle', 'rollback'] },
  ),
  sweepDuration: histogram('jobwarden_sweep_duration_seconds', 'Time of one look at what is due.', 'seconds', {
    labels: {},
    buckets: QUICK_SECONDS,
  }),
  sweepLag: gauge(
    'jobwarden_sweep_lag_seconds',
    'How long the job that has been due longest has waited for its look.',
    'seconds',
    {
      labels: {},
      merge: 'max',
    },
  ),
  sweepLooked: counter('jobwarden_sweep_looked_total', 'Due jobs looked at.', 'jobs', {}),
  sweepDecided: counter('jobwarden_sweep_decided_total', 'Decisions appended by the reconciler.', 'decisions', {}),
} as const;

const PUBLISHER = {
  publisherLag: gauge(
    'jobwarden_publisher_lag_seconds',
    'Age of the oldest entry of a shard that is not yet published.',
    'seconds',
    {
      labels: { shard: { atMost: 256 } },
      merge: 'max',
    },
  ),
  publishDuration: histogram(
    'jobwarden_publish_duration_seconds',
    'Time from taking a batch to its checkpoint.',
    'seconds',
    {
      labels: {},
      buckets: QUICK_SECONDS,
    },
  ),
  published: counter('jobwarden_published_total', 'Messages delivered, by channel; repeats count again.', 'messages', {
    channel: ['commands', 'invalidations', 'incidents', 'dead-letters'],
  }),
  publisherParked: gauge('jobwarden_publisher_parked', 'Messages that could not be delivered and wait for an operator.', 'messages', {
    labels: {},
    merge: 'sum',
  }),
  webhookRetrying: gauge(
    'jobwarden_webhook_retrying',
    'Messages that a webhook has not acknowledged, and that are sent again; after ten tries they are parked.',
    'messages',
    { labels: {}, merge: 'sum' },
  ),
  publisherSkipped: counter(
    'jobwarden_publisher_skipped_total',
    'Commands that were no longer true when they were due to go out.',
    'messages',
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
  ...INTAKE,
  ...DEAD_LETTERS,
  ...GUARDS,
  ...LANES,
  ...RECONCILER,
  ...PUBLISHER,
  ...SERVICE,
} as const satisfies Record<string, MetricSpec>;

export type MetricKey = keyof typeof METRICS;
