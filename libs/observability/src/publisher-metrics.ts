import { QUICK_SECONDS } from './buckets.js';
import { counter, gauge, histogram } from './metric-spec.js';

/** Of what goes out. */
export const PUBLISHER = {
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
