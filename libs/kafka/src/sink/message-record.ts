import { STREAM_OF, type MessageKind, type OutboundMessage } from '#libs/application';
import { topicName, type Topic } from '../client/topics.js';
import type { KafkaRecord } from './record-size.js';

/** Dead letters have a topic of their own; otherwise topics are what the streams are. */
export function topicOf(kind: MessageKind): Topic {
  return kind === 'dead-letter' ? 'dead-letters' : STREAM_OF[kind];
}

/**
 * The CloudEvent as it is, in structured mode. Its id and type stand in headers as well, so that a consumer can drop
 * repeats and what it does not want without reading the value.
 */
export function recordOf(prefix: string, { kind, orderKey, message }: OutboundMessage): KafkaRecord {
  return {
    topic: topicName(prefix, topicOf(kind)),
    key: Buffer.from(orderKey, 'utf8'),
    value: Buffer.from(message, 'utf8'),
    headers: {
      'content-type': 'application/cloudevents+json',
      ce_id: attribute(message, 'id'),
      ce_type: attribute(message, 'type'),
    },
  };
}

/** Both stand at the beginning, before anything that somebody else has written: a payload need not be read for them. */
function attribute(message: string, name: 'id' | 'type'): string {
  return new RegExp(`"${name}":"([^"]*)"`).exec(message)?.[1] ?? '';
}
