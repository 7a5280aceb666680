import { UnreachableError } from '../errors.js';
import type { Bounds } from './buffer.js';
import { RefusedBatchError, type Transport } from './transport.js';

/** The part of a kafkajs producer that is used; it is the caller's, who connects and disconnects it. */
export interface KafkaProducer {
  send(record: {
    readonly topic: string;
    readonly acks: number;
    readonly messages: { key: string; value: string; headers: Record<string, string> }[];
  }): Promise<unknown>;
}

export interface KafkaTransportOptions {
  readonly producer: KafkaProducer;
  /** As the service has it (`JOBWARDEN_TOPIC_PREFIX`). Default `jobwarden.`. */
  readonly topicPrefix?: string;
  /** Bytes of one request. Default 524,288: half of what a broker takes at its defaults, since keys and headers come on top. */
  readonly maxBytes?: number;
}

const HEADERS = { 'content-type': 'application/cloudevents+json' };

/**
 * Events over the topic `<prefix>events`, acknowledged by all in-sync replicas. Kafka gives no answers, so `ask` resolves
 * to null; stop commands come by the command stream or topic.
 */
export function kafkaTransport({ producer, topicPrefix = 'jobwarden.', maxBytes = 524_288 }: KafkaTransportOptions): Transport {
  const limits: Bounds = { maxEvents: 1_000, maxBytes };
  const topic = `${topicPrefix}events`;
  return {
    limits,
    async send(events) {
      try {
        await producer.send({ topic, acks: -1, messages: events.map(({ key, text }) => ({ key, value: text, headers: { ...HEADERS } })) });
        return null;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (isTooLarge(error)) throw new RefusedBatchError(reason, { cause: error });
        throw new UnreachableError(`Kafka: ${reason}`, { cause: error });
      }
    },
  };
}

const TOO_LARGE: ReadonlySet<unknown> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD']);

/** kafkajs wraps what it gave up on. */
function isTooLarge(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('type' in at && TOO_LARGE.has(at.type)) return true;
  }
  return false;
}
