// A cache that reads its invalidations off the topic: the shipped service, a real broker.
import { createCacheGuard, kafkaInvalidations, memoryStore, type CacheGuard } from '@jobwarden/cache-guard';
import { createClient } from '@jobwarden/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kafkaClient, ServerReplica, sharedBrokers, useTestDatabase, useTopicPrefix, waitUntil } from '#libs/testing';

describe('a cache on the topic of invalidations', () => {
  const database = useTestDatabase();
  const topic = `${useTopicPrefix()}invalidations`;
  const kafka = kafkaClient(sharedBrokers());
  const admin = kafka.admin();
  const shared = memoryStore({ entries: true });
  let service: ServerReplica;
  let guard: CacheGuard;
  let value = 1;

  beforeAll(async () => {
    const env = { JOBWARDEN_KAFKA_BROKERS: sharedBrokers(), JOBWARDEN_TOPIC_PREFIX: topic.replace(/invalidations$/u, ''), JOBWARDEN_KAFKA_PARTITIONS: '2' };
    service = await ServerReplica.start({ env: { ...env, JOBWARDEN_DATABASE_URL: database.url, JOBWARDEN_LOG_LEVEL: 'warn' } });
    await admin.connect();
    await waitUntil('the service has made the topic', async () => (await admin.listTopics()).includes(topic));
    guard = await following();
  });
  afterAll(async () => {
    await guard.close();
    await admin.disconnect();
    await service.kill();
  });

  async function following(): Promise<CacheGuard> {
    const made = createCacheGuard({ source: kafkaInvalidations({ kafka, topic, lookEveryMs: 50 }), shared });
    await made.ready;
    await waitUntil('what is owed is applied', () => made.stats().owed === 0);
    return made;
  }

  const read = () => guard.get('a', () => value);
  const fill = async () => {
    expect(await read()).toBe(value);
    expect(guard.stats().size).toBe(1);
  };
  /** How many records were ever on the topic. */
  const written = async () => (await admin.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0);
  /** The value changes, and a job says so. */
  async function change(): Promise<void> {
    const before = await written();
    value += 1;
    const data = { queue: 'q', invalidates: { keys: ['a'] } };
    const type = 'jobwarden.job.succeeded.v1';
    await createClient({ url: service.url }).send([{ specversion: '1.0', id: 'done', source: 'test', subject: `job-${String(value)}`, type, data }]);
    await waitUntil('it is on the topic', async () => (await written()) > before);
  }

  it('hears an invalidation, and knows that it has read everything', async () => {
    await fill();
    await change();
    await waitUntil('it is empty', () => guard.stats().size === 0);
    await fill();
    await waitUntil('nothing is left to read', () => guard.stats().behind === 0);
    expect(guard.stats().resets).toBe(1);
  });

  it('hears after a restart what was said meanwhile, and keeps the rest', async () => {
    await guard.get('b', () => 'kept');
    await guard.close();
    await change();
    guard = await following();
    await fill();
    expect(await guard.get('b', () => 'loaded anew')).toBe('kept');
    await waitUntil('nothing is left to read', () => guard.stats().behind === 0);
    expect(guard.stats()).toMatchObject({ resets: 0, hits: { l2: 1 } });
  });

  it('takes everything for stale where what was said meanwhile is gone', async () => {
    await guard.close();
    await change();
    const partitions = (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => ({ partition, offset: high }));
    await admin.deleteTopicRecords({ topic, partitions });
    guard = await following();
    expect(guard.stats().resets).toBe(1);
    await fill();
  });

  it('does so as well where the topic is made anew under it', async () => {
    await fill();
    await admin.deleteTopics({ topics: [topic] });
    // Its deletion goes on for a while, and what is new is not known at once.
    const make = () => admin.createTopics({ topics: [{ topic, numPartitions: 2 }], waitForLeaders: true }).catch(() => false);
    await waitUntil('it is there again', async () => (await make()) || (await admin.listTopics()).includes(topic));
    await waitUntil('it has noticed', () => guard.stats().resets === 2, { withinMs: 30_000 });
    expect(guard.stats().size).toBe(0);
    await fill();
    await change();
    await waitUntil('it is empty', () => guard.stats().size === 0, { withinMs: 30_000 });
  });
});
