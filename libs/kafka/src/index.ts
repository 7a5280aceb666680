export { mendRequestQueue } from './client/request-queue.js';
export type { KafkaSasl, KafkaSettings, KafkaTls } from './client/settings.js';
export { groupName, topicName, TOPICS, type Topic } from './client/topics.js';
export { createClient, type ClientLog } from './client/client.js';
export { KafkaFeed } from './feed/kafka-feed.js';
export type { FeedObserver, KafkaFeedOptions } from './feed/feed-options.js';
export { explainKafkaError } from './client/explain.js';
export { KafkaSink, OUT_TOPICS, type KafkaSinkObserver, type KafkaSinkParts } from './sink/kafka-sink.js';
