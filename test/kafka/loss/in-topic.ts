import { randomUUID } from 'node:crypto';
import { kafkaClient, pollUntil } from '#libs/testing';

/** Where the topic has events with these ids, as `partition@offset`: whether the way in lost one, or it never came. */
export async function placesInTopic(brokers: string, topic: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const kafka = kafkaClient(brokers);
  const [admin, consumer] = [kafka.admin(), kafka.consumer({ groupId: `places-${randomUUID()}` })];
  await Promise.all([admin.connect(), consumer.connect()]);
  const places = new Map<string, string>();
  const wanted = new Set(ids);
  const ends = new Map((await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, Number(high)]));
  const read = new Map<number, number>();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: ({ partition, message: { offset, value } }) => {
      read.set(partition, Number(offset) + 1);
      const id = /"id":"([^"]+)"/u.exec(String(value))?.[1];
      if (id !== undefined && wanted.has(id)) places.set(id, `${String(partition)}@${offset}`);
      return Promise.resolve();
    },
  });
  await pollUntil(() => [...ends].every(([partition, end]) => (read.get(partition) ?? 0) >= end), { withinMs: 30_000 });
  await Promise.all([admin.disconnect(), consumer.disconnect()]);
  return places;
}
