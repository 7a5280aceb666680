import { counter, gauge } from './metric-spec.js';

const QUEUE = { queue: 'queue' } as const;

/** Of what has failed for good. */
export const DEAD_LETTERS = {
  jobsDeadLettered: counter(
    'worker_jobs_dead_lettered_total',
    'Jobs that arrived among the dead letters.',
    'jobs',
    QUEUE,
  ),
  deadLetters: gauge('jobwarden_dead_letters', 'Dead letters that lie there now. Exported by one replica.', 'jobs', {
    labels: QUEUE,
    merge: 'sum',
  }),
  deadLetterOldest: gauge(
    'jobwarden_dead_letter_oldest_seconds',
    'How long the oldest dead letter has been there; absent: there is none. Exported by one replica.',
    'seconds',
    { labels: QUEUE, merge: 'max' },
  ),
  deadLetterUnreviewed: gauge(
    'jobwarden_dead_letter_unreviewed_seconds',
    'The same of those that arrived after the last review of the queue or of its namespace; 0: all were looked through. Exported by one replica.',
    'seconds',
    { labels: QUEUE, merge: 'max' },
  ),
} as const;
