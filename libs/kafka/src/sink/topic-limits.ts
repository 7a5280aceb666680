import type { Admin } from 'kafkajs';
import { protocolType } from '../client/explain.js';
import { ConfigResourceTypes } from '../client/kafkajs-values.js';
import { aloneBytes, type KafkaRecord } from './record-size.js';

/** Kafka's own default. */
export const DEFAULT_LIMIT_BYTES = 1_048_588;

/**
 * How large a batch each topic takes.
 *
 *   default ── described ──► described …        refused ──► one byte below what was refused, until described anew
 *
 * Without the right to describe a topic the default stands, and refusals teach.
 */
export class TopicLimits {
  private readonly described = new Map<string, number>();
  private readonly learned = new Map<string, number>();

  constructor(private readonly topics: readonly string[]) {}

  of(topic: string): number {
    return Math.min(this.described.get(topic) ?? DEFAULT_LIMIT_BYTES, this.learned.get(topic) ?? Infinity);
  }

  /**
   * `keepLearned`: right after a refusal, which knows better than a broker that has not heard of a change yet. Answers
   * what the cluster says of topics that it does not describe, by topic. Throws what the library throws.
   */
  async refresh(admin: Admin, { keepLearned }: { readonly keepLearned: boolean }): Promise<ReadonlyMap<string, string>> {
    const unknown = new Map<string, string>();
    const looks = this.topics.map(async (topic) => {
      const found = await limitOf(admin, topic);
      if (typeof found === 'string') unknown.set(topic, found);
      else this.described.set(topic, found);
      if (typeof found === 'number' && !keepLearned) this.learned.delete(topic);
    });
    await Promise.all(looks);
    return unknown;
  }

  /** This one by itself was refused, whatever was described. */
  refused(record: KafkaRecord): void {
    this.learned.set(record.topic, Math.min(this.of(record.topic), aloneBytes(record) - 1));
  }
}

/** The limit, or Kafka's name of the reason why it is not told. One by one: the library throws all away for one fault. */
async function limitOf(admin: Admin, topic: string): Promise<number | string> {
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic, configNames: ['max.message.bytes'] }];
  try {
    const answer = await admin.describeConfigs({ resources, includeSynonyms: false });
    const limit = Number(answer.resources[0]?.configEntries[0]?.configValue);
    return Number.isFinite(limit) ? limit : 'nothing was answered';
  } catch (error) {
    const type = protocolType(error);
    if (type === null) throw error;
    return type;
  }
}
