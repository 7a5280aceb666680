import { afterAll, beforeAll, expect, it } from 'vitest';
import { Streams, WakeSignal, type WebhookEndpoint } from '#libs/application';
import { fixedPolicies, useTestDatabase } from '#libs/testing';
import { PgStreamStore } from './pg-stream-store.js';
import { PublishingWorld, Replica } from './publishing.fixture.js';

const database = useTestDatabase();
let world: PublishingWorld;

beforeAll(() => {
  world = new PublishingWorld(database.url);
});
afterAll(() => world.close());

/** What a client that wants only this queue has missed so far. */
async function streamOf(queue: string | null): Promise<readonly string[]> {
  const streams = new Streams(new PgStreamStore(world.database), new WakeSignal(), {}, { heartbeatMs: 50 });
  const hangup = new AbortController();
  const seen: string[] = [];
  let heartbeats = 0;
  for await (const item of streams.subscribe({ kind: 'commands', namespace: 'default', queue, from: 'start' }, hangup.signal)) {
    if ('event' in item) seen.push(`${item.event.split('.').at(-2) ?? ''} ${(JSON.parse(item.data) as { subject: string }).subject}`);
    // The second one comes when there was nothing more.
    else if ((heartbeats += 1) > 1) hangup.abort();
  }
  return seen.sort();
}

it('a requeue reaches those who read the fallback’s commands; the job stays in its own queue', async () => {
  const webhook = (name: string, queues: readonly string[]): WebhookEndpoint => ({
    ...{ name, format: 'standard' as const, url: `https://${name}.example`, secret: { reveal: () => 'whsec' }, events: ['commands'], queues },
  });
  const webhooks = [webhook('own', ['q']), webhook('spare', ['spare'])];
  const replica = new Replica(world, { policies: fixedPolicies({ fallbackQueue: 'spare' }), webhooks });
  await world.requeued('a');
  await replica.publish();
  expect(await streamOf('spare')).toEqual(['enqueue a']);
  expect(await streamOf('q')).toEqual([]);
  expect(await streamOf(null)).toEqual(['enqueue a']);
  const delivered = await world.database.query<{ webhook: string }>('SELECT webhook FROM jobwarden.deliveries');
  expect(delivered).toEqual([{ webhook: 'spare' }]);
  expect((await world.outbound('a')).map((row) => row.message.data)).toMatchObject([{ queue: 'q', deliverTo: 'spare' }]);

  // Its worker claims and reports it in the job's own queue, which counts it.
  const claimed = await world.claim('a', { claimId: 'c', worker: { id: 'of-spare' }, token: 2 });
  expect(claimed).toMatchObject({ kind: 'granted', attempt: 2, token: 2 });
  expect(await world.job('a')).toMatchObject({ status: 'processing', attempt: 2 });
  expect(await world.database.query('SELECT queue FROM jobwarden.queues')).toEqual([{ queue: 'q' }]);
});

it('a stop of its attempt reaches both', async () => {
  await world.endLeases();
  const replica = new Replica(world, { policies: fixedPolicies({ fallbackQueue: 'spare' }) });
  await world.decide('a', { kind: 'cancelled', attempt: 2, reason: 'operator', by: 'ada' });
  await world.decide('a', { kind: 'stop-requested', attempt: 2, reason: 'cancelled', by: 'jobwarden' });
  await replica.publish();
  expect(await streamOf('spare')).toContain('stop a');
  expect(await streamOf('q')).toEqual(['stop a']);
});
