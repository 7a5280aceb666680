import { Kafka, logLevel, type KafkaConfig } from 'kafkajs';
import { mendRequestQueue } from '#libs/kafka';

/** A silent client for tests. `brokers` as a broker of the harness gives them, separated by commas. */
export function kafkaClient(brokers: string, config: Omit<KafkaConfig, 'brokers'> = {}): Kafka {
  mendRequestQueue();
  return new Kafka({ logLevel: logLevel.NOTHING, ...config, brokers: brokers.split(',') });
}
