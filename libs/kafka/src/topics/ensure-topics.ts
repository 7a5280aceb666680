import { setTimeout as pause } from 'node:timers/promises';
import type { Admin, ITopicConfig, Kafka } from 'kafkajs';
import { explainKafkaError, protocolType } from '../client/explain.js';
import { ConfigResourceTypes } from '../client/kafkajs-values.js';
import type { KafkaSettings } from '../client/settings.js';
import { topicName, TOPICS } from '../client/topics.js';
import { checkCleanup, checkInSync, checkTimestampType, notCreated, rightMissing, type TopicFault } from './topic-words.js';

export interface EnsureTopicsOptions {
  /**
   * Of a topic that is made. Default 6: a partition of `events` is a lane and is read by one replica, so it bounds how
   * many replicas share the reading; more can be added later, fewer cannot.
   */
  readonly partitions?: number;
  /** Of a topic that is made; with three and more, two must be in sync. Default, and null: as the cluster has it. */
  readonly replication?: number | null;
}

export interface EnsuredTopics {
  readonly created: readonly string[];
  /** In the order of the topics; empty: all is well. */
  readonly faults: readonly TopicFault[];
}

/**
 * Makes the topics that are missing and looks at those that are there, of which it changes nothing. Idempotent, and safe
 * from several replicas at once. Throws RetryableError (see {@link explainKafkaError}) when the cluster cannot be asked.
 */
export async function ensureTopics(
  client: Kafka,
  settings: KafkaSettings,
  { partitions = 6, replication = null }: EnsureTopicsOptions = {},
): Promise<EnsuredTopics> {
  const admin = client.admin();
  try {
    await admin.connect();
    const user = settings.sasl?.username ?? null;
    const wanted = TOPICS.map((topic) => ({
      topic: topicName(settings.topicPrefix, topic),
      numPartitions: partitions,
      ...(replication !== null && { replicationFactor: replication }),
      configEntries: [
        ...(topic === 'events' ? [{ name: 'message.timestamp.type', value: 'LogAppendTime' }] : []),
        ...(replication !== null && replication >= 3 ? [{ name: 'min.insync.replicas', value: '2' }] : []),
      ],
    }));
    const done = await Promise.all(wanted.map((topic) => ensure(admin, topic, user)));
    return {
      created: done.filter((d) => d.made).map((d) => d.topic),
      faults: done.flatMap((d) => d.faults),
    };
  } catch (error) {
    throw explainKafkaError(error, settings);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

interface Ensured {
  readonly topic: string;
  readonly made: boolean;
  readonly faults: readonly TopicFault[];
}

async function ensure(admin: Admin, wanted: ITopicConfig, user: string | null): Promise<Ensured> {
  const { topic } = wanted;
  const there = await replicasOf(admin, topic);
  if (there !== null) return { topic, made: false, faults: await checked(admin, topic, there, user) };
  const answer = await create(admin, wanted, user);
  if (typeof answer === 'object') return { topic, made: false, faults: [answer] };
  const replicas = await untilSeen(admin, topic);
  return { topic, made: answer === 'made', faults: await checked(admin, topic, replicas, user) };
}

const SEEN_TRIES = 50;
const SEEN_EVERY_MS = 100;

/** A topic is made by the controller; a broker hears of it a little later, and denies it until then. */
async function untilSeen(admin: Admin, topic: string): Promise<number> {
  for (let tries = 0; tries < SEEN_TRIES; tries++) {
    const replicas = await replicasOf(admin, topic);
    if (replicas !== null) return replicas;
    await pause(SEEN_EVERY_MS);
  }
  return 0;
}

/** null: there is no such topic, or none that we may see. */
async function replicasOf(admin: Admin, topic: string): Promise<number | null> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions[0]?.replicas.length ?? null;
  } catch (error) {
    const type = protocolType(error);
    if (type === 'UNKNOWN_TOPIC_OR_PARTITION' || type === 'TOPIC_AUTHORIZATION_FAILED') return null;
    throw error;
  }
}

async function create(admin: Admin, wanted: ITopicConfig, user: string | null): Promise<'made' | 'there' | TopicFault> {
  try {
    // It answers false where another replica was quicker. Its own waiting takes a broker that has not heard of the topic
    // yet for a failure.
    return (await admin.createTopics({ topics: [wanted], waitForLeaders: false })) ? 'made' : 'there';
  } catch (error) {
    const type = protocolType(error);
    if (type === 'TOPIC_AUTHORIZATION_FAILED' || type === 'CLUSTER_AUTHORIZATION_FAILED')
      return rightMissing(wanted.topic, 'Create', user);
    if (type === null) throw error;
    return notCreated(wanted.topic, type);
  }
}

const LOOKED_AT = ['message.timestamp.type', 'min.insync.replicas', 'cleanup.policy'];

async function checked(admin: Admin, topic: string, replicas: number, user: string | null): Promise<readonly TopicFault[]> {
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic, configNames: LOOKED_AT }];
  let values: ReadonlyMap<string, string>;
  try {
    const answer = await admin.describeConfigs({ resources, includeSynonyms: false });
    values = new Map(answer.resources[0]?.configEntries.map((c) => [c.configName, c.configValue]));
  } catch (error) {
    const type = protocolType(error);
    if (type === 'TOPIC_AUTHORIZATION_FAILED') return [rightMissing(topic, 'DescribeConfigs', user)];
    // Deleted meanwhile, or not known everywhere yet: there is nothing to be said of it.
    if (type === 'UNKNOWN_TOPIC_OR_PARTITION') return [];
    throw error;
  }
  const faults = [
    topic.endsWith('events') ? checkTimestampType(topic, values.get('message.timestamp.type')) : null,
    checkCleanup(topic, values.get('cleanup.policy') ?? ''),
    checkInSync(topic, replicas, Number(values.get('min.insync.replicas') ?? 2)),
  ];
  return faults.filter((fault) => fault !== null);
}
