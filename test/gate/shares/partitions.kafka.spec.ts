import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kafkaClient, sharedBrokers, useTopicPrefix, waitUntil } from '#libs/testing';
import { Crew } from './crew.js';

const PARTITIONS = 10;
const EACH = 30;

describe('nine consumers of the old release and one of the new, as deploy/canary/kafka-workers.yaml has them', () => {
  const prefix = useTopicPrefix();
  const kafka = kafkaClient(sharedBrokers());
  const [admin, producer] = [kafka.admin(), kafka.producer({ allowAutoTopicCreation: false })];
  let crew: Crew;
  let topic = '';

  beforeAll(async () => {
    topic = `${prefix}mail`;
    [crew] = await Promise.all([Crew.start(), admin.connect(), producer.connect()]);
    // Where the broker does not know of them yet it says that there are none.
    const made = () => admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS }], waitForLeaders: true }).then(() => true, () => false);
    await waitUntil('the topic', made, { withinMs: 30_000 });
  });
  afterAll(async () => {
    await crew.end();
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  });

  const send = async (each: number) => {
    const messages = Array.from({ length: PARTITIONS * each }, (_, n) => ({ partition: n % PARTITIONS, value: '{}' }));
    await producer.send({ topic, messages });
  };
  /** What each member said last of how many partitions it has. */
  const assigned = () =>
    crew.said().map((text) => {
      const last = new Map([...text.matchAll(/member (\d+) has (\d+)/gu)].map(([, member, count]) => [member, Number(count)]));
      return [...last.values()];
    });

  it('share a topic of ten partitions: one is the canary’s, whole, and the gate sees both', async () => {
    await crew.join({ binding: 'kafka', manifest: 'kafka-workers.yaml', queue: topic, place: sharedBrokers(), env: { KAFKA_GROUP_ID: `${prefix}mailer` } });
    const one = Array.from({ length: PARTITIONS }, () => 1);
    await waitUntil('each has one', () => JSON.stringify(assigned()) === JSON.stringify([one.slice(1), [1]]), { withinMs: 60_000 });
    await send(1);
    await crew.until(topic, PARTITIONS);
    await crew.nextStretch();
    await send(EACH);
    await crew.until(topic, PARTITIONS * (1 + EACH));
    await crew.nextStretch();
    await crew.nextStretch();
    expect(assigned().map((counts) => counts.reduce((sum, count) => sum + count, 0))).toEqual([PARTITIONS - 1, 1]);
    const { canary, samples } = await crew.gate(topic);
    expect({ canary, samples }).toEqual({ canary: { revision: '2.0.0', track: 'canary' }, samples: { canary: EACH, stable: (PARTITIONS - 1) * EACH } });
  });
});
