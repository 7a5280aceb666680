import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedBrokers, useTopicPrefix, waitUntil } from '#libs/testing';
import { KafkaSink, type KafkaSinkObserver } from './kafka-sink.js';
import { aloneBytes } from './record-size.js';
import { recordOf } from './message-record.js';
import { lease, limitTopic, makeTopics, message, Reader, settingsOf } from './sink.fixture.js';

const prefix = useTopicPrefix();
const settings = settingsOf(sharedBrokers(), prefix);
const topics = { commands: `${prefix}commands`, invalidations: `${prefix}invalidations`, letters: `${prefix}dead-letters` };
const sinks: KafkaSink[] = [];
const reader = new Reader(prefix);

function sink(observer: KafkaSinkObserver = {}): KafkaSink {
  const made = new KafkaSink({ settings, clientId: 'test', observer });
  sinks.push(made);
  return made;
}

beforeAll(async () => {
  await makeTopics(settings);
  await reader.start([topics.commands, topics.invalidations, topics.letters]);
});
afterAll(async () => {
  await Promise.all([...sinks.map((s) => s.stop()), reader.stop()]);
});

const arrived = (ids: readonly string[]): Promise<void> =>
  waitUntil(`${ids.join(', ')} to arrive`, () => ids.every((id) => reader.ids().includes(id)));

describe('what is sent to Kafka', () => {
  test('goes to the topic of its kind, with the job as its key and the event as it is', async () => {
    const one = sink();
    await one.open(lease(0));
    const sent = [message(1, 'ä/ö 😀', 'invalidation'), message(1, 'ä/ö 😀'), message(2, 'ä/ö 😀', 'dead-letter')];
    await one.send(sent, lease(0));
    await arrived(['invalidation-1', 'enqueue-1', 'dead-letter-2']);
    const found = reader.seen.find((r) => r.id === 'enqueue-1');
    expect(found).toMatchObject({ topic: topics.commands, key: 'default/q/ä/ö 😀', value: sent[1]?.message });
    expect(found?.headers).toEqual({
      'content-type': 'application/cloudevents+json',
      ce_id: 'enqueue-1',
      ce_type: 'jobwarden.command.enqueue.v1',
    });
    expect(reader.seen.find((r) => r.id === 'invalidation-1')?.topic).toBe(topics.invalidations);
    expect(reader.seen.find((r) => r.id === 'dead-letter-2')?.topic).toBe(topics.letters);
  });

  test('keeps its order per job, also where a batch is larger than the topic takes at once', async () => {
    const one = sink();
    await one.open(lease(1));
    const jobs = ['a', 'b', 'c', 'd'];
    const large = Array.from({ length: 40 }, (_, n) => message(100 + n, jobs[n % 4]!, 'enqueue', 'x'.repeat(100_000)));
    await one.send(large, lease(1));
    await arrived(large.map((m) => `enqueue-${String(m.position.number)}`));
    for (const job of jobs) {
      const ofJob = reader.seen.filter((r) => r.key === `default/q/${job}`);
      expect(ofJob.map((r) => r.id)).toEqual(
        large.filter((m) => m.orderKey === `default/q/${job}`).map((m) => `enqueue-${String(m.position.number)}`),
      );
      expect(new Set(ofJob.map((r) => r.partition)).size).toBe(1);
    }
  });
});

describe('a publisher that has lost its shard', () => {
  test('cannot write behind its successor, who opened later', async () => {
    const [former, successor] = [sink(), sink()];
    await former.open(lease(2, 1));
    await former.send([message(200, 'fenced')], lease(2, 1));
    await successor.open(lease(2, 2));
    await successor.send([message(200, 'fenced'), message(201, 'fenced')], lease(2, 2));
    await expect(former.send([message(200, 'fenced')], lease(2, 1))).rejects.toMatchObject({ code: 'publisher_fenced' });
    await successor.send([message(202, 'fenced')], lease(2, 2));
    await arrived(['enqueue-202']);
    const seen = reader.seen.filter((r) => r.key === 'default/q/fenced').map((r) => r.id);
    expect(seen).toEqual(['enqueue-200', 'enqueue-200', 'enqueue-201', 'enqueue-202']);
  });

  test('has to open again before it can write, and is closed for shards that are another’s', async () => {
    const one = sink();
    await expect(one.send([message(210, 'x')], lease(3))).rejects.toMatchObject({ code: 'kafka_closed' });
    await one.open(lease(3, 1));
    await expect(one.send([message(210, 'x')], lease(3, 2))).rejects.toMatchObject({ code: 'kafka_closed' });
    one.keep([lease(4)]);
    await expect(one.send([message(210, 'x')], lease(3, 1))).rejects.toMatchObject({ code: 'kafka_closed' });
  });
});

describe('what is too large', () => {
  test('is known to the byte', async () => {
    const one = sink();
    const fits = message(300, 'byte', 'dead-letter', 'y'.repeat(5_000));
    const limit = aloneBytes(recordOf(prefix, fits));
    await limitTopic(sharedBrokers(), topics.letters, limit);
    await one.open(lease(5), 'retry');
    expect(one.faultOf(fits)).toBeNull();
    await one.send([fits], lease(5));
    const over = message(301, 'byte', 'dead-letter', 'y'.repeat(5_001));
    expect(one.faultOf(over)).toBe(
      `record_too_large: ${String(limit + 1)} bytes, ${topics.letters} takes ${String(limit)}`,
    );
    await expect(one.send([over], lease(5))).rejects.toMatchObject({ code: 'kafka_too_large' });
    await arrived(['dead-letter-300']);
  });

  test('is found when the broker refuses it although it was believed to fit, and the others go', async () => {
    const refused: number[] = [];
    const one = sink({ refused: (_topic, records) => refused.push(records) });
    await limitTopic(sharedBrokers(), topics.commands, 1_048_588);
    await one.open(lease(6), 'retry');
    const batch = [message(310, 'r1'), message(311, 'r2', 'enqueue', 'z'.repeat(8_000)), message(312, 'r3')];
    await limitTopic(sharedBrokers(), topics.commands, 4_000);
    await expect(one.send(batch, lease(6))).rejects.toMatchObject({ code: 'kafka_too_large' });
    expect(refused).toEqual([3]);
    await one.open(lease(6));
    expect(batch.map((m) => one.faultOf(m)?.split(':')[0])).toEqual([undefined, 'record_too_large', undefined]);
    await one.send([batch[0]!, batch[2]!], lease(6));
    await arrived(['enqueue-310', 'enqueue-312']);
    expect(reader.ids()).not.toContain('enqueue-311');
    await limitTopic(sharedBrokers(), topics.commands, 1_048_588);
    await one.open(lease(6), 'retry');
    expect(one.faultOf(batch[1]!)).toBeNull();
    await one.send([batch[1]!], lease(6));
    await arrived(['enqueue-311']);
  });
});
