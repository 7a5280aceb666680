// What a topic does not take, from the log to the topic: parked, seen by an operator, tried again.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sharedBrokers, useTestDatabase, useTopicPrefix, waitUntil } from '#libs/testing';
import { KafkaSink } from './kafka-sink.js';
import { REPUBLISHED, SinkReplica, SinkWorld } from './publishing.fixture.js';
import { limitTopic, makeTopics, Reader, settingsOf } from './sink.fixture.js';

const prefix = useTopicPrefix();
const settings = settingsOf(sharedBrokers(), prefix);
const database = useTestDatabase();
const sink = new KafkaSink({ settings, clientId: 'test' });
const sinks = [sink];
const reader = new Reader(prefix);
const limit = (topic: string, bytes: number): Promise<void> => limitTopic(sharedBrokers(), `${prefix}${topic}`, bytes);
const PLENTY = 1_048_588;
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

const standing = async (job: string): Promise<unknown[]> => (await world.rows(job)).map((r) => [r.kind, r.outcome]);
const arrived = (job: string): string[] => reader.seen.filter((r) => r.key === `default/q/${job}`).map((r) => r.id);
const told = async (job: string): Promise<void> => {
  const ids = (await world.rows(job)).filter((r) => r.outcome === 'sent').map((r) => r.id);
  await waitUntil(`what was sent of ${job} arrives`, () => ids.every((id) => arrived(job).includes(id)));
};

/** What an operator sees first of a job, as its id. */
async function parkedHead(job: string): Promise<string> {
  const { items } = await world.report.parked({ namespace: 'default' }, { limit: 100, after: null });
  const heads = items.filter((item) => item.ref.id === job);
  expect(heads).toHaveLength(1);
  return heads[0]!.id;
}

describe('a command that is larger than its topic takes (D8)', () => {
  test('is parked with its size and the limit before anything of it goes out, and holds up its own job only', async () => {
    await limit('commands', 2_000);
    await world.requeued('large', { payload: 'x'.repeat(3_000) });
    await world.decide('large', REPUBLISHED);
    await world.requeued('small', { payload: 1 });
    const replica = new SinkReplica(world, sink);
    expect(await replica.publish()).toEqual([]);
    const [first, second] = await world.rows('large');
    expect(first?.detail).toMatch(/^record_too_large: 3\d{3} bytes, .*commands takes 2000$/);
    expect(second?.detail).toMatch(/^behind: waits for \d+$/);
    expect(await standing('small')).toEqual([['enqueue', 'sent']]);
    await told('small');
    expect(arrived('large')).toEqual([]);
    expect(await world.told('large')).toEqual([]);
    expect(replica.parked).toHaveLength(2);
    expect(await world.report.parkedCount()).toBe(2);
  });

  test('goes out in order when an operator has raised the limit and tries it again', async () => {
    const replica = new SinkReplica(world, sink);
    expect(await world.report.retry(await parkedHead('large'), 'default')).toBe(true);
    await replica.publish();
    expect((await standing('large')).map((s) => (s as string[])[1])).toEqual(['parked', 'parked']);
    await limit('commands', PLENTY);
    expect(await world.report.retry(await parkedHead('large'), 'default')).toBe(true);
    expect(await replica.publish()).toEqual([]);
    await told('large');
    expect(arrived('large')).toEqual((await world.rows('large')).map((r) => r.id));
    expect(await world.report.parkedCount()).toBe(0);
  });

  test('is parked as well when the limit is lowered behind our back, and the shard goes on', async () => {
    await world.requeued('warm-up');
    const replica = new SinkReplica(world, sink);
    await replica.publish();
    await limit('commands', 2_000);
    await world.requeued('refused', { payload: 'x'.repeat(3_000) });
    for (const job of ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']) await world.requeued(job);
    const errors: unknown[] = [];
    for (let round = 0; round < 4; round++) errors.push(...(await replica.publish()));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: 'kafka_too_large' });
    expect((await world.rows('refused'))[0]).toMatchObject({
      outcome: 'parked',
      detail: expect.stringMatching(/^record_too_large: 3\d{3} bytes, .*commands takes 2000$/) as string,
    });
    for (const job of ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']) await told(job);
    expect(arrived('refused')).toEqual([]);
    await limit('commands', PLENTY);
    await world.report.retry(await parkedHead('refused'), 'default');
    await replica.publish();
    await told('refused');
  });
});

describe('an invalidation that is larger than its topic takes (D8)', () => {
  test('is parked, and no command of its job goes before it', async () => {
    await limit('invalidations', 1_000);
    const keys = Array.from({ length: 100 }, (_, n) => `key-of-some-length-${String(n)}`);
    await world.requeued('keys', { invalidates: { keys } });
    await world.decide('keys', REPUBLISHED);
    const fresh = new KafkaSink({ settings, clientId: 'test' });
    sinks.push(fresh);
    const replica = new SinkReplica(world, fresh);
    expect(await replica.publish()).toEqual([]);
    expect(await standing('keys')).toEqual([
      ['invalidation', 'parked'],
      ['enqueue', 'parked'],
      ['enqueue', 'parked'],
    ]);
    expect(arrived('keys')).toEqual([]);
    await limit('invalidations', PLENTY);
    expect(await parkedHead('keys')).toMatch(/\.invalidation$/);
    await world.report.retry(await parkedHead('keys'), 'default');
    expect(await replica.publish()).toEqual([]);
    await told('keys');
    expect((await world.told('keys')).map((id) => id.split('-')[0])).toEqual(['invalidation', 'enqueue', 'enqueue']);
  });
});
