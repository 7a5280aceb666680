// Windows in which a publisher dies or is paused, seen by whoever reads the topics.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { MessageSink } from '#libs/application';
import { sharedBrokers, useTestDatabase, useTopicPrefix, waitUntil } from '#libs/testing';
import { KafkaSink } from './kafka-sink.js';
import { SinkReplica, SinkWorld } from './publishing.fixture.js';
import { makeTopics, Reader, settingsOf } from './sink.fixture.js';

const prefix = useTopicPrefix();
const settings = settingsOf(sharedBrokers(), prefix);
const database = useTestDatabase();
const reader = new Reader(prefix);
const sinks: KafkaSink[] = [];
let world: SinkWorld;

beforeAll(async () => {
  world = new SinkWorld(database.url);
  await makeTopics(settings);
  await reader.start([`${prefix}commands`, `${prefix}invalidations`]);
});
afterEach(() => world.endLeases());
afterAll(async () => {
  await Promise.all([...sinks.map((s) => s.stop()), reader.stop()]);
  await world.close();
});

function newSink(): KafkaSink {
  const sink = new KafkaSink({ settings, clientId: 'test' });
  sinks.push(sink);
  return sink;
}

const arrived = (job: string): string[] => reader.seen.filter((r) => r.key === `default/q/${job}`).map((r) => r.id);

test('a batch that was acknowledged before its checkpoint is repeated with the same ids, and streams hear nothing of it', async () => {
  await world.requeued('twice', { invalidates: { keys: ['k'] } });
  const killed = new SinkReplica(world, newSink(), (window) => {
    if (window === 'publish/checkpoint') throw new Error('killed');
  });
  expect(await killed.publish()).toHaveLength(1);
  const told = await world.told('twice');
  await world.endLeases();
  expect(await new SinkReplica(world, newSink()).publish()).toEqual([]);
  await waitUntil('the batch comes twice', () => arrived('twice').length === 4);
  expect(new Set(arrived('twice'))).toEqual(new Set(told));
  expect(await world.told('twice')).toEqual(told);
});

test('a publisher that dies between invalidations and commands leaves the commands to the next', async () => {
  await world.requeued('between', { invalidates: { keys: ['k'] } });
  const kafka = newSink();
  const sends: string[] = [];
  const dying: MessageSink = {
    name: 'dying',
    open: (lease) => kafka.open(lease),
    send: async (messages, lease) => {
      sends.push(messages.map((m) => m.kind).join());
      if (sends.length > 1) throw new Error('killed');
      await kafka.send(messages, lease);
    },
  };
  await new SinkReplica(world, dying).publish();
  expect(sends).toEqual(['invalidation', 'enqueue']);
  await world.endLeases();
  await new SinkReplica(world, newSink()).publish();
  await waitUntil('both came', () => arrived('between').length === 3);
  // Of two topics there is no order to see; within the invalidations' one the repeat has the id of the first.
  expect(new Set(arrived('between')).size).toBe(2);
});

test('one that was paused before it sent cannot send behind its successor: per job the topic has the order of the log', async () => {
  await world.requeued('paused');
  const kafka = newSink();
  const paused = Promise.withResolvers<undefined>();
  const resumed = Promise.withResolvers<undefined>();
  const slow: MessageSink = {
    name: 'slow',
    open: (lease) => kafka.open(lease),
    send: async (messages, lease) => {
      paused.resolve(undefined);
      await resumed.promise;
      await kafka.send(messages, lease);
    },
  };
  const late = new SinkReplica(world, slow).publish();
  await paused.promise;
  await world.endLeases();
  const successor = new SinkReplica(world, newSink());
  await successor.publish();
  await world.send({ type: 'started', job: 'paused', attempt: 2, worker: { id: 'w2' } });
  await world.requeue('paused', 3);
  await successor.publish();
  resumed.resolve(undefined);
  expect(await late).toMatchObject([{ code: 'publisher_fenced' }]);
  const inOrder = (await world.rows('paused')).map((r) => r.id);
  await waitUntil('the last command comes', () => arrived('paused').includes(inOrder.at(-1)!));
  expect(arrived('paused')).toEqual(inOrder);
});

test('it could without the fence: a twin that opens again when it is refused sends an old command last', async () => {
  await world.requeued('twin');
  const kafka = newSink();
  const paused = Promise.withResolvers<undefined>();
  const resumed = Promise.withResolvers<undefined>();
  const twin: MessageSink = {
    name: 'twin',
    send: async (messages, lease) => {
      paused.resolve(undefined);
      await resumed.promise;
      await kafka.open(lease);
      await kafka.send(messages, lease);
    },
  };
  const late = new SinkReplica(world, twin).publish();
  await paused.promise;
  await world.endLeases();
  const successor = new SinkReplica(world, newSink());
  await successor.publish();
  await world.send({ type: 'started', job: 'twin', attempt: 2, worker: { id: 'w2' } });
  await world.requeue('twin', 3);
  await successor.publish();
  resumed.resolve(undefined);
  await late;
  const inOrder = (await world.rows('twin')).map((r) => r.id);
  await waitUntil('all three have come', () => arrived('twin').length === 3);
  expect(arrived('twin')).toEqual([...inOrder, inOrder[0]]);
});
