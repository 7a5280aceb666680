import type { LaneStore } from '#libs/application';
import type { FeedObserver } from '#libs/kafka';
import type { Metrics } from '#libs/observability';
import type { Logger } from 'pino';
import { Repeated } from './repeated.js';

export interface FeedWatch {
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly lanes: Pick<LaneStore, 'told'>;
}

/** What the reader of the topic does, for whoever runs the service: in the log, and counted. */
export function feedObserver({ metrics, log, lanes }: FeedWatch): FeedObserver {
  const failures = new Repeated();
  let telling = false;
  return {
    assigned(names) {
      metrics.kafkaRebalances.add({});
      log.info({ lanes: names }, 'partitions of the topic of events are read by this replica');
    },
    revoked: (names) => log.info({ lanes: names }, 'partitions are not read by this replica any more'),
    paused(lane, why) {
      metrics.kafkaPauses.add({});
      log.warn({ lane, why }, 'a partition is left unread for now, and kept: verdicts that it could clear wait');
    },
    resumed: (lane) => log.info({ lane }, 'the partition is read again'),
    stalled(lane, forMs) {
      metrics.kafkaStalls.add({});
      log.warn({ lane, forMs }, 'there are records in the partition, and none of them came: reading begins anew');
    },
    restarted: (why) => log.warn({ why }, 'reading of the topic of events begins anew'),
    failed(what, error) {
      if (what === 'tick') metrics.kafkaTicksFailed.add({});
      const words = error instanceof Error ? error.message : String(error);
      if (failures.isNew(what, words)) log.warn({ what, err: error }, `Kafka: ${words}; this is repeated until it works`);
    },
    ends(ends) {
      // Only for reports: one that comes while the one before is still written is left out.
      if (telling) return;
      telling = true;
      lanes
        .told(ends)
        .catch((error: unknown) => log.debug({ err: error }, 'ends of partitions could not be kept'))
        .finally(() => (telling = false));
    },
  };
}
