// The broker is killed and comes back while a replica publishes: what the topics, the streams and the report say.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Publisher } from '#libs/application';
import { startBroker, useTestDatabase, waitUntil, type Broker } from '#libs/testing';
import { KafkaSink } from './kafka-sink.js';
import { SinkReplica, SinkWorld } from './publishing.fixture.js';
import { makeTopics, Reader, settingsOf } from './sink.fixture.js';

const database = useTestDatabase();
const failed: unknown[] = [];
let world: SinkWorld;
let broker: Broker;
let sink: KafkaSink;
let publisher: Publisher;
let reader: Reader;

beforeAll(async () => {
  world = new SinkWorld(database.url);
  broker = await startBroker();
  const settings = settingsOf(broker.brokers, 'away.');
  await makeTopics(settings);
  sink = new KafkaSink({ settings, clientId: 'test' });
  const { store, leases, shards } = new SinkReplica(world, sink);
  const observer = { failed: (_what: string, error: unknown) => failed.push(error) };
  publisher = new Publisher({ store, leases, shards, observer }, { replicaId: randomUUID() });
  reader = new Reader('away.', broker.brokers);
  publisher.start();
  await reader.start(['away.commands', 'away.invalidations']);
});
afterAll(async () => {
  await Promise.all([publisher.stop(), sink.stop()]);
  await reader.stop();
  await broker.stop();
  await world.close();
});

const JOBS = ['a', 'b', 'c', 'd', 'e'];
const commands = (job: string): string[] => [
  ...new Set(reader.seen.filter((r) => r.topic === 'away.commands' && r.key === `default/q/${job}`).map((r) => r.id)),
];
const sent = async (job: string, kind: string): Promise<string[]> =>
  (await world.rows(job)).filter((r) => r.kind === kind && r.outcome === 'sent').map((r) => r.id);

test('nothing is lost or out of order when it comes back, and the streams tell each message once', async () => {
  for (const job of JOBS) await world.requeued(job, { invalidates: { keys: [job] } });
  await waitUntil('the first commands come', () => JOBS.every((job) => commands(job).length === 1), { withinMs: 30_000 });

  await broker.kill(1);
  for (const job of JOBS) {
    await world.decide(job, { kind: 'republished', attempt: 2, token: 2, reason: 'start_by', by: 'jobwarden' });
  }
  await world.requeued('late', { invalidates: { keys: ['late'] } });
  await waitUntil('it is said that Kafka cannot be reached', () =>
    failed.some((error) => (error as { code?: string }).code === 'kafka_unreachable'),
  );
  expect((await world.report.lag()).some((shard) => shard.oldestMs > 0)).toBe(true);
  expect(await sent('late', 'enqueue')).toEqual([]);

  await broker.start(1);
  const all = [...JOBS, 'late'];
  await waitUntil(
    'what waited has gone out',
    async () => {
      const lag = await world.report.lag();
      return lag.every((shard) => shard.oldestMs === 0);
    },
    { withinMs: 50_000 },
  );
  for (const job of all) {
    const inLog = await sent(job, 'enqueue');
    expect(inLog).toHaveLength(job === 'late' ? 1 : 2);
    await waitUntil(`the commands of ${job} come`, () => commands(job).length === inLog.length, { withinMs: 30_000 });
    expect(commands(job)).toEqual(inLog);
    const told = await world.told(job);
    expect(new Set(told).size).toBe(told.length);
  }
});
