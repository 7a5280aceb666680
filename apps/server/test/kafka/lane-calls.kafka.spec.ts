import { beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '#libs/testing';
import { asOwner, event, type TestService } from '../service.fixture.js';
import { jobOf, lanesOf, untilRead, untilStatus, useKafkaWorld } from './kafka-service.fixture.js';

describe('calls on a lane', () => {
  const world = useKafkaWorld(1);
  const lane = `kafka/${world.prefix}events/0`;
  const reason = 'a test';
  let service: TestService;
  beforeAll(async () => {
    service = await world.start();
    await untilRead(service, 1);
  });

  it('let a stopped one go on where the operator says, and refuse an offset that the broker does not have', async () => {
    // As if records had been deleted before they were read.
    await asOwner(world.database.url, 'UPDATE jobwarden.lanes SET next = 1000000000 WHERE name = $1', [lane]);
    await waitUntil('it is stopped', async () => (await lanesOf(service))[0]?.['stopped'] !== undefined);
    expect((await service.get('/readyz')).status).toBe(200);
    await world.produce([event('queued', 'unread')]);

    const beyond = await service.call('POST', '/v1/lanes/seek', { body: { lane, to: 999_999_999, reason } });
    expect([beyond.status, beyond.body.code]).toEqual([400, 'offset_out_of_range']);
    expect(beyond.body.detail).toContain('from offset 0');
    const sought = await service.call('POST', '/v1/lanes/seek', { body: { lane, to: 'earliest', reason } });
    expect(sought.status).toBe(200);
    expect(sought.body).toMatchObject({ lane, transport: 'kafka', next: 0 });
    expect(sought.body['stopped']).toBeUndefined();
    await untilStatus(service, 'unread', 'queued');
  });

  it('give one up that is not read, so that no verdict waits for it, and take it up again where it was left', async () => {
    const busy = await service.call('POST', '/v1/lanes/retire', { body: { lane, reason } });
    expect([busy.status, busy.body.code]).toEqual([409, 'lane_is_read']);
    const retired = await service.call('POST', '/v1/lanes/retire', { body: { lane, reason, force: true } });
    expect(retired.body).toMatchObject({ retired: true });
    await world.produce([event('queued', 'meanwhile')]);
    const seek = await service.call('POST', '/v1/lanes/seek', { body: { lane, to: 'latest', reason } });
    expect([seek.status, seek.body.code]).toEqual([409, 'lane_retired']);
    expect((await jobOf(service, 'meanwhile')).status).not.toBe('queued');
    const back = await service.call('POST', '/v1/lanes/unretire', { body: { lane, reason } });
    expect(back.body['retired']).toBeUndefined();
    await untilStatus(service, 'meanwhile', 'queued');
  });

  it.each([
    [{ lane: 'kafka/none/0', to: 'latest', reason }, 404, 'lane_unknown'],
    [{ lane: 'http', to: 'latest', reason }, 409, 'lane_without_positions'],
    [{ lane, to: 'yesterday', reason }, 400, 'invalid'],
    [{ lane, to: 'latest' }, 400, 'invalid'],
  ])('answer %j with %d %s', async (body, status, code) => {
    const answer = await service.call('POST', '/v1/lanes/seek', { body });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('are answered by a replica of the role api alone, which reads nothing itself', async () => {
    const api = await world.start({ JOBWARDEN_ROLES: 'api' });
    const sought = await api.call('POST', '/v1/lanes/seek', { body: { lane, to: 'earliest', reason } });
    expect(sought.status).toBe(200);
    expect((await api.get('/metrics')).text).not.toMatch(/^jobwarden_kafka_connected /m);
    expect(api.logged.some((line) => line.includes('are read by this replica'))).toBe(false);
  });

  it('are told at the start without brokers: verdicts wait for lanes that nobody reads', async () => {
    const without = await world.start({ JOBWARDEN_KAFKA_BROKERS: '' });
    expect(without.logged.filter((line) => line.includes('no brokers are set'))).toHaveLength(1);
    expect((await without.get('/readyz')).status).toBe(200);
    const seek = await without.call('POST', '/v1/lanes/seek', { body: { lane, to: 'latest', reason } });
    expect([seek.status, seek.body.code]).toEqual([409, 'no_broker']);
  });
});
