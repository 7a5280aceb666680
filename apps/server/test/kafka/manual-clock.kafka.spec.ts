import { describe, expect, it } from 'vitest';
import { asOwner, event, worker, type Item } from '../service.fixture.js';
import { jobOf, untilRead, useKafkaWorld, withLanesBlocked } from './kafka-service.fixture.js';

const START = Date.parse('2030-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

describe('a manual clock', () => {
  const world = useKafkaWorld();

  it('counts for events from Kafka: those sent before it is moved have come before', async () => {
    await asOwner(world.database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [START]);
    const service = await world.start({}, 'defaults: {grace: 5s, actions: act, idempotent: true}');
    await untilRead(service, 2);
    const setClock = (now: string, untilDue = false) => service.call('PUT', '/v1/clock', { body: { now, untilDue } });
    // Whoever asks for looks has them to himself for a while.
    const look = () => service.call('POST', '/v1/reconciliations', { body: {} });
    await look();
    expect((await setClock(at(10))).body.now).toBe(at(10));
    await world.produce([event('started', 'timed', { ...worker('w1'), leaseMs: 30_000 })]);
    // No wait here: the call itself reads what was sent, and leaves no lane behind.
    const stopped = await setClock(at(600), true);
    expect([stopped.status, stopped.body.now]).toEqual([200, at(40)]);
    expect((await jobOf(service, 'timed')).attempts).toMatchObject([{ startedAt: at(10) }]);
    const run = await look();
    expect(run.body.rows as Item[]).toMatchObject([{ id: 'timed', verdict: 'lost' }]);
    expect(JSON.stringify(run.body.rows)).not.toContain('lane:');
    expect((await jobOf(service, 'timed')).status).toBe('restart-requested');

    await withLanesBlocked(world.database.url, async () => {
      await world.produce([event('queued', 'unread')]);
      const behind = await setClock(at(700));
      expect([behind.status, behind.body.code, behind.body.now]).toEqual([409, 'lanes_behind', at(40)]);
      expect(behind.headers.get('retry-after')).toBe('1');
      expect(behind.body.detail).toContain(`kafka/${world.prefix}events/`);
    });
    expect((await setClock(at(700))).body.now).toBe(at(700));
    expect((await jobOf(service, 'unread')).status).toBe('queued');
  });
});
