// The topics, made and looked at on a real cluster whose users have rights.
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ConfigResourceTypes, ResourcePatternTypes, type Admin } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kafkaClient, startBroker, type Broker } from '#libs/testing';
import { createClient } from '../client/client.js';
import type { KafkaSettings } from '../client/settings.js';
import { TOPICS } from '../client/topics.js';
import { ensureTopics, type EnsuredTopics, type EnsureTopicsOptions } from './ensure-topics.js';

let broker: Broker;
let admin: Admin;
beforeAll(async () => {
  broker = await startBroker({ listeners: ['sasl'], acl: true });
  admin = kafkaClient(broker.brokers).admin();
  await admin.connect();
});
afterAll(async () => {
  await admin.disconnect();
  await broker.stop();
});

function settings(topicPrefix: string, username: string | null = null): KafkaSettings {
  const address = username === null ? broker.addresses.plain : broker.addresses.sasl;
  const sasl = username === null ? null : { mechanism: 'plain' as const, username, password: `${username}-secret` };
  return { brokers: address!.split(','), topicPrefix, ssl: null, sasl };
}

async function ensure(of: KafkaSettings, options?: EnsureTopicsOptions): Promise<EnsuredTopics> {
  return await ensureTopics(createClient(of, 'test'), of, options);
}

async function valueOf(topic: string, name: string): Promise<string | undefined> {
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic, configNames: [name] }];
  const answer = await admin.describeConfigs({ resources, includeSynonyms: false });
  return answer.resources[0]?.configEntries[0]?.configValue;
}

async function allow(operation: AclOperationTypes, prefix: string): Promise<void> {
  const who = { principal: 'User:alice', host: '*', operation, permissionType: AclPermissionTypes.ALLOW };
  const resource = { resourceType: AclResourceTypes.TOPIC, resourceName: prefix };
  await admin.createAcls({ acl: [{ ...who, ...resource, resourcePatternType: ResourcePatternTypes.PREFIXED }] });
}

const names = (prefix: string): string[] => TOPICS.map((topic) => `${prefix}${topic}`);

describe('topics', () => {
  test('are made where they are missing, the incoming one with the time of arrival, and then left alone', async () => {
    const first = await ensure(settings('made.'), { partitions: 3 });
    expect(first).toEqual({ created: names('made.'), faults: [] });
    expect(await valueOf('made.events', 'message.timestamp.type')).toBe('LogAppendTime');
    expect(await valueOf('made.commands', 'message.timestamp.type')).toBe('CreateTime');
    expect(await ensure(settings('made.'), { partitions: 9 })).toEqual({ created: [], faults: [] });
    const { topics } = await admin.fetchTopicMetadata({ topics: names('made.') });
    expect(topics.map((t) => t.partitions.length)).toEqual([3, 3, 3, 3, 3]);
  });

  test('are made once by several replicas at once', async () => {
    const all = await Promise.all([1, 2, 3].map(() => ensure(settings('raced.'), { partitions: 1 })));
    expect(all.flatMap((one) => one.faults)).toEqual([]);
    expect(all.flatMap((one) => one.created).sort()).toEqual(names('raced.').sort());
  });

  test('that carry their senders’ clocks or are compacted are named, with the command', async () => {
    const compacted = { topic: 'wrong.commands', configEntries: [{ name: 'cleanup.policy', value: 'compact' }] };
    await admin.createTopics({ topics: [{ topic: 'wrong.events' }, compacted], waitForLeaders: true });
    const { faults } = await ensure(settings('wrong.'));
    expect(faults.map((f) => [f.topic, f.code, f.serious])).toEqual([
      ['wrong.events', 'timestamp_type', true],
      ['wrong.commands', 'compacted', true],
    ]);
    expect(faults[0]?.message).toMatch(
      /CreateTime.*kafka-configs .* --entity-name wrong\.events --add-config message\.timestamp\.type=LogAppendTime$/,
    );
  });

  test('that cannot have so many replicas are named, with the reason', async () => {
    const { created, faults } = await ensure(settings('three.'), { replication: 3 });
    expect(created).toEqual([]);
    expect(faults.map((f) => f.code)).toEqual(TOPICS.map(() => 'not_created'));
    expect(faults[0]?.message).toContain('INVALID_REPLICATION_FACTOR');
  });

  test('without the right to make or to describe them are named, with right and command', async () => {
    const missing = await ensure(settings('rights.', 'alice'));
    expect(missing.created).toEqual([]);
    expect(missing.faults.map((f) => [f.topic, f.code])).toEqual(names('rights.').map((topic) => [topic, 'right_missing']));
    expect(missing.faults[0]?.message).toMatch(
      /the right Create on topic rights\.events is missing.*kafka-acls .* --allow-principal User:alice --operation Create --topic rights\.events/,
    );
    await allow(AclOperationTypes.CREATE, 'rights.');
    await allow(AclOperationTypes.DESCRIBE, 'rights.');
    const made = await ensure(settings('rights.', 'alice'), { partitions: 1 });
    expect(made.created).toEqual(names('rights.'));
    expect(made.faults.map((f) => [f.code, f.serious])).toEqual(TOPICS.map(() => ['right_missing', false]));
    expect(made.faults[0]?.message).toContain('--operation DescribeConfigs --topic rights.events');
    await allow(AclOperationTypes.DESCRIBE_CONFIGS, 'rights.');
    expect(await ensure(settings('rights.', 'alice'))).toEqual({ created: [], faults: [] });
  });
});
