// Every way to a broker that asks who we are, there and back; and what is said when it does not let us in.
import { AclOperationTypes as Operation, AclPermissionTypes, AclResourceTypes as Resource, ResourcePatternTypes, type Admin } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kafkaClient, startBroker, waitUntil, type Broker } from '#libs/testing';
import { KafkaSink } from '../sink/kafka-sink.js';
import { lease, message } from '../sink/sink.fixture.js';
import { ensureTopics } from '../topics/ensure-topics.js';
import { createClient } from './client.js';
import type { KafkaSasl, KafkaSettings, KafkaTls } from './settings.js';

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
let broker: Broker;
let admin: Admin;

beforeAll(async () => {
  // A certificate of ours is asked for by one listener only.
  const settings = { 'listener.name.sasl_ssl.ssl.client.auth': 'none' };
  broker = await startBroker({ listeners: ['sasl', 'ssl', 'sasl_ssl'], acl: true, requireClientCertificate: true, settings });
  admin = kafkaClient(broker.brokers).admin();
  await admin.connect();
  await Promise.all(['User:alice', 'User:CN=client'].map(giveRights));
});
afterAll(async () => {
  await admin.disconnect();
  await broker.stop();
});

const right = (principal: string, resourceType: Resource, operation: Operation) => ({
  ...{ principal, host: '*', permissionType: AclPermissionTypes.ALLOW, operation, resourceType },
  ...{ resourceName: 'jobwarden.', resourcePatternType: ResourcePatternTypes.PREFIXED },
});

/** What docs/kafka.md asks for, and nothing else; the test reads the topics that go out as well. */
async function giveRights(principal: string): Promise<void> {
  const topic = [Operation.DESCRIBE, Operation.DESCRIBE_CONFIGS, Operation.CREATE, Operation.READ, Operation.WRITE];
  const transaction = [Operation.DESCRIBE, Operation.WRITE];
  const acl = [
    ...topic.map((operation) => right(principal, Resource.TOPIC, operation)),
    ...transaction.map((operation) => right(principal, Resource.TRANSACTIONAL_ID, operation)),
    right(principal, Resource.GROUP, Operation.READ),
  ];
  await admin.createAcls({ acl });
}

type Way = 'sasl' | 'ssl' | 'sasl_ssl' | 'plain';

function settings(way: Way, parts: Partial<KafkaSettings>): KafkaSettings {
  return { brokers: broker.addresses[way]!.split(','), topicPrefix: 'jobwarden.', ssl: null, sasl: null, ...parts };
}

const alice = (mechanism: KafkaSasl['mechanism'], password = 'alice-secret'): KafkaSasl => ({
  ...{ mechanism, username: 'alice', password },
});
const trusting = (): KafkaTls => ({ ca: broker.certificates!.ca, certificate: null, key: null });
const certified = (): KafkaTls => {
  const { ca, clientCert, clientKey } = broker.certificates!;
  return { ca, certificate: clientCert, key: clientKey };
};

let group = 0;

/** Sends through the sink, in a transaction, and reads as a member of a group. */
async function thereAndBack(of: KafkaSettings, number: number): Promise<void> {
  const client = createClient(of, 'test');
  expect((await ensureTopics(client, of, { partitions: 1 })).faults).toEqual([]);
  const sink = new KafkaSink({ settings: of, clientId: 'test' });
  const consumer = client.consumer({ groupId: `jobwarden.test-${String(group++)}`, maxWaitTimeInMs: 50 });
  const seen: string[] = [];
  try {
    await sink.open(lease(number));
    await sink.send([message(number, 'job')], lease(number));
    await consumer.connect();
    await consumer.subscribe({ topics: ['jobwarden.commands'], fromBeginning: true });
    await consumer.run({ eachMessage: ({ message: { value } }) => Promise.resolve(void seen.push(String(value))) });
    await waitUntil('the message is back', () => seen.includes(message(number, 'job').message));
  } finally {
    await Promise.all([sink.stop(), consumer.disconnect()]);
  }
}

/** What is said when the first batch wants to open. */
async function refusal(of: KafkaSettings): Promise<string> {
  const sink = new KafkaSink({ settings: of, clientId: 'test' });
  try {
    await sink.open(lease(0));
    return 'let in';
  } catch (error) {
    const { code, message: words } = error as { code: string; message: string };
    return `${code}: ${words}`;
  } finally {
    await sink.stop();
  }
}

describe.each(MECHANISMS)('with SASL %s', (mechanism) => {
  test('messages go there and back, also through TLS', async () => {
    await thereAndBack(settings('sasl', { sasl: alice(mechanism) }), 10 + MECHANISMS.indexOf(mechanism));
    const through = settings('sasl_ssl', { sasl: alice(mechanism), ssl: trusting() });
    await thereAndBack(through, 20 + MECHANISMS.indexOf(mechanism));
  });

  test('a wrong password is said in words, without the password', async () => {
    const said = await refusal(settings('sasl', { sasl: alice(mechanism, 'not-the-secret') }));
    expect(said).toMatch(/^kafka_authentication: Kafka at 127\.0\.0\.1:\d+: "alice" by .* is not let in: check the user name/);
    expect(said).toContain(mechanism.toUpperCase());
    expect(said).not.toContain('not-the-secret');
  });
});

test('with TLS and a certificate of ours, messages go there and back', async () => {
  await thereAndBack(settings('ssl', { ssl: certified() }), 30);
});

test('what is wrong with TLS is said in words', async () => {
  const unknown = { ...certified(), ca: null };
  const [untrusted, missing, plainly, doubly] = await Promise.all([
    refusal(settings('ssl', { ssl: unknown })),
    refusal(settings('ssl', { ssl: trusting() })),
    refusal(settings('plain', { ssl: trusting() })),
    refusal(settings('plain', { brokers: ['127.0.0.1:1'] })),
  ]);
  expect(untrusted).toMatch(/^kafka_certificate: .*not signed by an authority we know: check the CA/);
  expect(missing).toMatch(/^kafka_certificate: .*does not accept our certificate, or asks for one and there is none/);
  expect(plainly).toMatch(/^kafka_certificate: .*does this listener speak TLS\?/);
  expect(doubly).toMatch(/^kafka_unreachable: .*cannot be reached, and is tried again/);
});

test('a right that is missing is said with the command that gives it', async () => {
  const of = settings('sasl', { sasl: alice('plain'), topicPrefix: 'other.' });
  const command = /kafka-acls .*--operation Describe --operation Write --transactional-id 'other\.'/;
  const unseen = await refusal(of);
  expect(unseen).toMatch(/^kafka_coordinator: .*is the right Describe on them missing/);
  expect(unseen).toMatch(command);
  const principal = 'User:alice';
  const seen = { ...right(principal, Resource.TRANSACTIONAL_ID, Operation.DESCRIBE), resourceName: 'other.' };
  await admin.createAcls({ acl: [seen] });
  const said = await refusal(of);
  expect(said).toMatch(/^kafka_rights: .*a right on the transactional ids is missing/);
  expect(said).toMatch(command);
});
