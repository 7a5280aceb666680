import { QUICK_SECONDS } from './buckets.js';
import { counter, gauge, histogram } from './metric-spec.js';

/** Of the looks at what is due. */
export const RECONCILER = {
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
