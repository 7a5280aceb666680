import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kafkaLeftOut, pollUntil, startBroker, waitUntil, type Broker, type TestProcess } from '#libs/testing';
import { doubledCommands, lostEvents, standing } from '../chaos/verify.js';
import { TopicReader } from '../chaos/kafka/topic-reader.js';
import { commandsBeforeInvalidations, notInTheirTopic, outOfOrder, requeuesWithKeys } from '../chaos/kafka/verify.js';
import { placesInTopic } from './loss/in-topic.js';
import { LossStage } from './loss/stage.js';

const twin = join(import.meta.dirname, '../../dist/test/chaos/kafka/twin-no-watermark.js');
const PHASES = ['leader', 'all', 'replica', 'alone', 'database'];

/**
 * A fleet beats well within its leases while brokers, readers and the database go: nothing that was acknowledged may be
 * lost, and no job called lost whose beat lies unread, or could not be sent. So that this says something, a few jobs of each
 * phase do fall silent, and have to be found.
 */
describe.skipIf(kafkaLeftOut())('brokers that are lost, and readers that stop for longer than their session', { timeout: 120_000 }, () => {
  let broker: Broker;
  let stage: LossStage;
  let first: TestProcess;

  beforeAll(async () => {
    broker = await startBroker({ nodes: 3 });
    stage = await LossStage.open({ brokers: broker.brokers, prefix: 'loss.', hosts: 8, jobsOfHost: 25 });
    first = stage.replicas[0] as TestProcess;
  }, 180_000);
  afterAll(async () => {
    await stage.close();
    await broker.stop();
  }, 60_000);

  it('the leader of a partition is killed, and comes back', async () => {
    await stage.startSilent('leader');
    const leader = await broker.killLeader(stage.topic);
    await stage.rounds(8);
    await broker.start(leader);
    await stage.untilFound('leader');
    expect(await stage.verdictsOnTheLiving()).toEqual([]);
  });

  /** The last one takes what is sent and can acknowledge none of it: a tick alone does not prove that a beat could come. */
  it('all brokers are stopped one after the other, for longer than a lease, and come back', async () => {
    const ids = broker.nodes.map(({ id }) => id);
    await stage.startSilent('all');
    for (const id of ids.slice(1)) await broker.kill(id);
    await stage.longerThanALease();
    await broker.kill(ids[0] ?? 0);
    await stage.longerThanALease();
    await Promise.all(ids.map((id) => broker.start(id)));
    await stage.rounds(3);
    await stage.untilFound('all');
    expect(await stage.verdictsOnTheLiving()).toEqual([]);
  });

  it('a replica is stopped past its session while another takes its partitions over, and goes on', async () => {
    await stage.untilMembers(1);
    const second = await stage.startReplica();
    await stage.untilMembers(2);
    await stage.startSilent('replica');
    process.kill(first.pid, 'SIGSTOP');
    try {
      await stage.untilMembers(1);
      await stage.untilFound('replica');
    } finally {
      process.kill(first.pid, 'SIGCONT');
    }
    await stage.untilMembers(2);
    expect(await second.stop()).toEqual({ code: 0, signal: null });
    await stage.rounds(3);
    expect(await stage.verdictsOnTheLiving()).toEqual([]);
  });

  it('the only replica is stopped past its session while events pile up, and goes on', async () => {
    await stage.untilMembers(1);
    await stage.startSilent('alone');
    process.kill(first.pid, 'SIGSTOP');
    try {
      await stage.untilMembers(0);
      await stage.rounds(9);
    } finally {
      process.kill(first.pid, 'SIGCONT');
    }
    await stage.untilFound('alone');
    expect(await stage.verdictsOnTheLiving()).toEqual([]);
  });

  it('the database takes nothing for three sessions (D1): no rebalance, and beats that wait are read before anybody is judged', async () => {
    await stage.untilMembers(1);
    const members = await stage.members();
    await stage.startSilent('database');
    await stage.withLanesBlocked(() => stage.rounds(14));
    await stage.untilFound('database');
    expect(await stage.members()).toEqual(members);
    expect(await stage.verdictsOnTheLiving()).toEqual([]);
  });

  it('afterwards everything acknowledged is in the log once, and what went out is in order, the invalidation first', async () => {
    await Promise.all(stage.hosts.map((host) => host.stop()));
    const acknowledged = new Map(stage.hosts.flatMap((host) => [...host.acknowledged]));
    expect(acknowledged.size).toBeGreaterThan(stage.hosts.length * (2 * 25 + 3 * 40));
    await pollUntil(async () => (await lostEvents(stage.client, acknowledged)).length === 0, { withinMs: 30_000, everyMs: 200 });
    const lost = await lostEvents(stage.client, acknowledged);
    // Of what is missing the topic tells: it never came, or the way in has lost it.
    const ids = lost.map((line) => line.split(' ')[2] ?? '');
    const places = lost.length > 0 ? await placesInTopic(broker.brokers, stage.topic, ids) : new Map<string, string>();
    expect(lost.map((line, i) => `${line}, in the topic at ${places.get(ids[i] ?? '') ?? 'no place'}`)).toEqual([]);
    const readers = ['commands', 'invalidations'].map((topic) => new TopicReader(broker.brokers, `loss.${topic}`));
    const [commands, invalidations] = readers as [TopicReader, TopicReader];
    await Promise.all(readers.map((reader) => reader.start()));
    try {
      expect([
        ...(await standing(stage.client)),
        ...(await notInTheirTopic(stage.client, ['enqueue', 'stop'], commands)),
        ...(await notInTheirTopic(stage.client, ['invalidation'], invalidations)),
        ...doubledCommands(commands.messages),
        ...commandsBeforeInvalidations(commands.published, invalidations.published),
        ...outOfOrder(commands.published),
      ]).toEqual([]);
      expect(requeuesWithKeys(commands.published)).toBeGreaterThanOrEqual(3 * PHASES.length);
    } finally {
      await Promise.all(readers.map((reader) => reader.close()));
    }
    expect(await first.stop()).toEqual({ code: 0, signal: null });
  });

  it('Node has had nothing to warn of while it produced, consumed and shared partitions anew (D7)', () => {
    for (const replica of stage.replicas) expect(replica.output()).not.toMatch(/\(node:\d+\)|Warning:/u);
  });

  it('twin: without the watermark the same beats, unread, do not keep their jobs from being called lost', async () => {
    const broken = await LossStage.open({ brokers: broker.brokers, prefix: 'twin.', hosts: 2, jobsOfHost: 20, entry: twin });
    try {
      await broken.withLanesBlocked(async () => {
        await waitUntil('living jobs are called lost', async () => (await broken.verdictsOnTheLiving()).length > 0, { withinMs: 30_000, everyMs: 100 });
      });
    } finally {
      await broken.close();
    }
  });
});
