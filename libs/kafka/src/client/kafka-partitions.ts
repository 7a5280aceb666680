import type { FeedPartition, PartitionSource } from '#libs/application';
import { createClient, type ClientLog } from './client.js';
import { explainKafkaError } from './explain.js';
import type { KafkaSettings } from './settings.js';
import { topicName } from './topics.js';

/** Asks the brokers over a connection of its own, which is closed again: operators ask rarely. */
export class KafkaPartitions implements PartitionSource {
  readonly topic: string;

  constructor(
    private readonly settings: KafkaSettings,
    private readonly clientId: string,
    private readonly log: ClientLog = () => undefined,
  ) {
    this.topic = topicName(settings.topicPrefix, 'events');
  }

  async look(topic: string): Promise<readonly FeedPartition[]> {
    const quiet: ClientLog = (_level, message, fields) => {
      this.log('debug', message, fields);
    };
    // Somebody waits for the answer: one more try, and then they are told.
    const admin = createClient(this.settings, this.clientId, quiet).admin({ retry: { retries: 1 } });
    try {
      await admin.connect();
      const [{ clusterId }, offsets] = await Promise.all([admin.describeCluster(), admin.fetchTopicOffsets(topic)]);
      return offsets.map(({ partition, low, high }) => {
        return { name: `kafka/${topic}/${String(partition)}`, low: Number(low), high: Number(high), origin: clusterId };
      });
    } catch (error) {
      if ((error as { readonly type?: unknown }).type === 'UNKNOWN_TOPIC_OR_PARTITION') return [];
      throw explainKafkaError(error, this.settings);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }
}
