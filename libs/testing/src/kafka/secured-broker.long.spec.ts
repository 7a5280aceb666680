import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes, type KafkaConfig } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBroker, type Broker } from './broker.js';
import { kafkaClient } from './client.js';
import type { ListenerName } from './settings.js';

let broker: Broker | undefined;
beforeAll(async () => {
  broker = await startBroker({ listeners: ['sasl', 'ssl', 'sasl_ssl'], acl: true });
});
afterAll(() => broker?.stop());

const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const as = (mechanism: (typeof mechanisms)[number], username: string, password = `${username}-secret`) =>
  ({ sasl: { mechanism, username, password } }) as Pick<KafkaConfig, 'sasl'>;
const quickly = { retry: { retries: 0 }, connectionTimeout: 10_000 };

/** What the cluster answers to a first question over one of its listeners. */
async function nodesSeenBy(listener: ListenerName, config: Omit<KafkaConfig, 'brokers'>): Promise<number> {
  const admin = kafkaClient(broker!.addresses[listener]!, { ...quickly, ...config }).admin();
  try {
    await admin.connect();
    return (await admin.describeCluster()).brokers.length;
  } finally {
    await admin.disconnect();
  }
}

async function createTopic(topic: string): Promise<void> {
  const admin = kafkaClient(broker!.brokers).admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic }], waitForLeaders: true });
  await admin.disconnect();
}

async function sendAs(config: Omit<KafkaConfig, 'brokers'>, listener: ListenerName, topic: string): Promise<void> {
  const producer = kafkaClient(broker!.addresses[listener]!, { ...quickly, ...config }).producer();
  await producer.connect();
  try {
    await producer.send({ topic, messages: [{ value: 'x' }] });
  } finally {
    await producer.disconnect();
  }
}

async function allowWrite(principal: string, resourceName: string): Promise<void> {
  const admin = kafkaClient(broker!.addresses.sasl!, as('plain', 'admin')).admin();
  await admin.connect();
  await admin.createAcls({
    acl: [
      {
        ...{ principal, host: '*', operation: AclOperationTypes.WRITE, permissionType: AclPermissionTypes.ALLOW },
        ...{ resourceType: AclResourceTypes.TOPIC, resourceName, resourcePatternType: ResourcePatternTypes.LITERAL },
      },
    ],
  });
  await admin.disconnect();
}

describe.each(mechanisms)('with %s', (mechanism) => {
  test('a user who is known gets in, also through TLS', async () => {
    expect(await nodesSeenBy('sasl', as(mechanism, 'alice'))).toBe(1);
    expect(await nodesSeenBy('sasl_ssl', { ...as(mechanism, 'alice'), ssl: { ca: broker!.certificates!.ca } })).toBe(1);
  });

  test('a wrong password does not', async () => {
    await expect(nodesSeenBy('sasl', as(mechanism, 'alice', 'wrong'))).rejects.toThrow(/authentication failed/i);
  });
});

describe('over TLS', () => {
  test('the authority of the broker has to be known', async () => {
    expect(await nodesSeenBy('ssl', { ssl: { ca: broker!.certificates!.ca } })).toBe(1);
    await expect(nodesSeenBy('ssl', { ssl: true })).rejects.toThrow(/self-signed certificate/);
  });

  test('a client has the name of its certificate', async () => {
    await createTopic('named');
    const { ca, clientCert: cert, clientKey: key } = broker!.certificates!;
    await expect(sendAs({ ssl: { ca, cert, key } }, 'ssl', 'named')).rejects.toThrow(/not authorized/i);
    await allowWrite('User:CN=client', 'named');
    await sendAs({ ssl: { ca, cert, key } }, 'ssl', 'named');
  });
});

test('without a right a message is refused, and with it accepted', async () => {
  await createTopic('guarded');
  await expect(sendAs(as('plain', 'alice'), 'sasl', 'guarded')).rejects.toThrow(/not authorized/i);
  await allowWrite('User:alice', 'guarded');
  await sendAs(as('scram-sha-256', 'alice'), 'sasl', 'guarded');
});
