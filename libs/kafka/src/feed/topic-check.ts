import { KafkaJSProtocolError } from '../client/kafkajs-values.js';
import { checkTimestampType, noTopic } from '../topics/topic-words.js';

export interface TopicLimits {
  /** Of the topic: a batch of records is never larger. */
  readonly maxMessageBytes: number;
}

/** What stands between us and reading, and how to mend it; or what reading has to go by. */
export function checkedTopic(topic: string, settings: ReadonlyMap<string, string>): TopicLimits {
  const fault = checkTimestampType(topic, settings.get('message.timestamp.type'));
  if (fault !== null) throw new Error(fault.message);
  return { maxMessageBytes: Number(settings.get('max.message.bytes') ?? DEFAULT_MESSAGE_BYTES) };
}

/** A refusal of the broker in words that say what to do; others as they are. */
export function explained(topic: string, error: unknown): unknown {
  if (!(error instanceof KafkaJSProtocolError)) return error;
  if (error.type === 'UNKNOWN_TOPIC_OR_PARTITION') {
    return new Error(noTopic(topic), { cause: error });
  }
  if (error.type === 'TOPIC_AUTHORIZATION_FAILED') {
    return new Error(
      `the broker does not let us see topic ${topic}: we need READ, WRITE (for ticks), DESCRIBE and DESCRIBE_CONFIGS on it, and READ on the group`,
      { cause: error },
    );
  }
  return error;
}

/** Kafka's own. */
const DEFAULT_MESSAGE_BYTES = 1_048_588;
/** Below what a broker sends at once, or the partitions named last in a request would wait for the first to be empty. */
const FETCH_BYTES = 48 * 1_024 * 1_024;

/**
 * How much to ask for at once. A partition's share has room for the largest batch, which would else come only when no
 * other partition has anything; all shares together fit in, or the first partitions would starve the last ones.
 */
export function fetchSizes(
  { maxMessageBytes }: TopicLimits,
  partitions: number,
  wantedBytes: number,
): { readonly maxBytesPerPartition: number; readonly maxBytes: number } {
  const share = Math.floor(FETCH_BYTES / Math.max(1, partitions));
  const maxBytesPerPartition = Math.max(maxMessageBytes, Math.min(wantedBytes, share));
  // Twice: there may be more partitions soon.
  return { maxBytesPerPartition, maxBytes: maxBytesPerPartition * Math.max(1, partitions) * 2 };
}
