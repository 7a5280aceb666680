import { counter, gauge, histogram } from './metric-spec.js';

const QUEUE = { queue: 'queue' } as const;
const WAIT_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400] as const;

/** Of what comes in and begins, and of how that compares with what is usual. */
export const QUEUES = {
  jobsQueued: counter('worker_jobs_queued_total', 'Jobs that were put into the queue, where whoever did it tells of it.', 'jobs', QUEUE),
  attemptsStarted: counter('worker_attempts_started_total', 'Attempts that a worker began, each once.', 'attempts', QUEUE),
  writesRefused: counter(
    'worker_writes_refused_total',
    'What workers told of an attempt and was refused, since another attempt or a person had been quicker.',
    'events',
    QUEUE,
  ),
  jobWait: histogram(
    'worker_job_wait_seconds',
    'Time from when an attempt could begin (its job was queued, due or requeued) to its start, in lane time. Left out where the queue grants attempts itself.',
    'seconds',
    { labels: QUEUE, buckets: WAIT_SECONDS },
  ),
  runBaseline: gauge(
    'worker_job_run_baseline_seconds',
    'What history teaches of the run times of the queue: the quantile of all runs that are remembered, at most 19 % too long. Absent below 50 runs. Exported by one replica.',
    'seconds',
    { labels: { queue: 'queue', quantile: ['0.5', '0.99'] }, merge: 'max' },
  ),
  oldestWaiting: gauge(
    'worker_queue_oldest_waiting_seconds',
    'How long the job that waits longest for a worker has done so: as the native queue says (`queue.state`), else as counted here. 0: none waits. Absent when unknown. Exported by one replica.',
    'seconds',
    { labels: QUEUE, merge: 'max' },
  ),
  intakeRatio: gauge(
    'jobwarden_queue_intake_ratio',
    'Part of what is normal that the queue lets in: 1 open, 0 paused, the share of its run while an incident throttles it. Absent while a person throttles it. Exported by one replica.',
    'ratio',
    { labels: QUEUE, merge: 'max' },
  ),
  intakeLimit: gauge(
    'jobwarden_queue_intake_limit',
    'Claims a second that a throttled queue lets through, of all replicas together; else absent. Exported by one replica.',
    'claims per second',
    { labels: QUEUE, merge: 'sum' },
  ),
  claims: counter('jobwarden_claims_total', 'Claims of workers, by what was answered.', 'claims', {
    outcome: [
      'granted',
      'held',
      'superseded',
      'finished',
      'token_unknown',
      'revision_quarantined',
      'paused',
      'throttled',
      'recovering',
      'retired',
    ],
  }),
  revisionsRefused: gauge(
    'jobwarden_revisions_refused',
    'Revisions that are out of service in the queue. Exported by one replica.',
    'revisions',
    { labels: QUEUE, merge: 'max' },
  ),
  revisionFirstSeen: gauge(
    'jobwarden_revision_first_seen_timestamp_seconds',
    'When a revision was first heard of in the queue, in seconds since 1970 by lane time, to five minutes where it is more than an hour ago. Absent after 48 hours. A revision of which nothing was heard for so long is a new one. Exported by one replica.',
    'seconds',
    { labels: { queue: 'queue', revision: { newest: 3 } }, merge: 'max', series: 500 },
  ),
} as const;
