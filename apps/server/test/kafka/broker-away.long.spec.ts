import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kafkaClient, kafkaLeftOut, startBroker, useTestDatabase, waitUntil, type Broker } from '#libs/testing';
import { event, TestService, worker } from '../service.fixture.js';
import { lanesOf, QUICK_POLICY, untilRead, untilStatus } from './kafka-service.fixture.js';

/** A broker of its own, which comes and goes. */
describe.skipIf(kafkaLeftOut())('a broker that is away', () => {
  const database = useTestDatabase();
  let broker: Broker;
  let service: TestService;
  beforeAll(async () => {
    broker = await startBroker();
    await broker.kill(1);
    service = await TestService.start(database.url, QUICK_POLICY, environment());
  }, 120_000);
  afterAll(async () => {
    await service.stop();
    await broker.stop();
  });

  const environment = () => ({
    JOBWARDEN_KAFKA_BROKERS: broker.brokers,
    JOBWARDEN_KAFKA_PARTITIONS: '1',
    // The broker that comes back waits so long for the members that it knew.
    JOBWARDEN_KAFKA_SESSION_TIMEOUT: '2s',
  });
  const produce = async (...events: readonly object[]) => {
    const producer = kafkaClient(broker.brokers).producer();
    await producer.connect();
    const messages = events.map((one) => ({ key: 'one', value: JSON.stringify(one) }));
    await producer.send({ topic: 'jobwarden.events', messages });
    await producer.disconnect();
  };

  it('at the start keeps nobody from being served nor a process from its end, and is connected to when it comes', async () => {
    expect((await service.get('/readyz')).status).toBe(200);
    await service.send(event('queued', 'meanwhile'));
    expect((await service.get('/metrics')).text).toContain('jobwarden_kafka_connected 0');
    await waitUntil('the log says so', () => service.logged.some((line) => line.includes('this is repeated until it works')));
    const second = await TestService.start(database.url, QUICK_POLICY, environment());
    await second.stop();
    expect(second.logged.filter((line) => line.includes('could not be stopped'))).toEqual([]);
    await broker.start(1);
    await untilRead(service, 1);
  });

  it('holds verdicts that an event in it could clear, and HTTP is served; afterwards reading goes on by itself', async () => {
    await produce(event('started', 'away', { ...worker('w1'), leaseMs: 1_000 }));
    await untilStatus(service, 'away', 'processing');
    await broker.kill(1);
    await waitUntil('the lane holds it', async () => {
      return (await service.get('/v1/jobs/one?queue=emails&id=away')).body['heldBy'] === 'lane:kafka/jobwarden.events/0';
    });
    expect((await service.get('/readyz')).status).toBe(200);
    await service.send(event('succeeded', 'away', worker('w1')));
    expect((await service.get('/v1/queues/emails/jobs/away')).body.status).toBe('succeeded');
    await broker.start(1);
    await produce(event('queued', 'after'));
    await untilStatus(service, 'after', 'queued');
    expect((await lanesOf(service)).map((lane) => lane['stopped'])).toEqual([undefined]);
  });
});
