import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Publisher, RetryableError, type PublisherOptions } from '#libs/application';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { PublishingWorld, Replica } from './publishing.fixture.js';

describe('publishers that share the shards', () => {
  const database = useTestDatabase();
  let world: PublishingWorld;

  beforeAll(() => {
    world = new PublishingWorld(database.url);
  });
  beforeEach(async () => {
    await world.database.query('UPDATE jobwarden.publishers SET holder = NULL, until_ms = 0');
    await world.database.query('DELETE FROM jobwarden.publisher_replicas');
  });
  afterAll(() => world.close());

  function publisher(replica: Replica, options: Partial<PublisherOptions> = {}): Publisher {
    const { id, leases, store, shards } = replica;
    return new Publisher({ leases, store, shards, observer: {} }, { replicaId: id, leaseMs: 400, ...options });
  }

  it('hold all shards alone, a fair share each with others, and all again when those leave', async () => {
    const [a, b, c] = [new Replica(world), new Replica(world), new Replica(world)];
    expect((await a.hold()).length).toBe(16);
    expect((await b.hold()).length).toBe(0);
    expect((await a.hold()).length).toBe(8);
    expect((await b.hold()).length).toBe(8);
    expect((await c.hold()).length).toBe(0);
    await a.hold();
    await b.hold();
    await c.hold();
    expect(await world.held()).toEqual({ [a.id]: 6, [b.id]: 6, [c.id]: 4 });
    await b.leases.release(b.id);
    await c.leases.release(c.id);
    expect((await a.hold()).length).toBe(16);
  });

  it('raise the fence at each take-over and not when they renew', async () => {
    const [a, b] = [new Replica(world), new Replica(world)];
    const first = await a.hold();
    expect(await a.hold()).toEqual(first);
    await world.endLeases(a.id);
    const second = await b.hold();
    expect(second.map((l) => l.fence)).toEqual(first.map((l) => l.fence + 1));
  });

  it('keep a zombie from writing: its messages and its checkpoint are refused', async () => {
    await world.requeued('zombie');
    const [zombie, heir] = [new Replica(world), new Replica(world)];
    await zombie.hold();
    const work = await zombie.store.work(zombie.id);
    const lease = work.find((w) => w.entries)?.lease;
    await world.endLeases(zombie.id);
    await heir.hold();
    const refused = { name: RetryableError.name, code: 'lease_lost' };
    await expect(zombie.shards.drain(lease!, () => true)).rejects.toMatchObject(refused);
    await expect(zombie.store.checkpoint(lease!, 1_000_000)).rejects.toMatchObject(refused);
    expect(await world.outbound('zombie')).toEqual([]);
    await heir.publish();
    expect((await world.outbound('zombie')).length).toBe(1);
  });

  it('take over from a replica that dies, and publish what it has left', async () => {
    const dead = new Replica(world);
    await dead.hold();
    const heir = publisher(new Replica(world));
    heir.start();
    try {
      await waitUntil('the second replica has enlisted', async () => {
        await dead.hold();
        return (await world.held())[dead.id] === 8;
      });
      for (let i = 0; i < 20; i += 1) await world.requeued(`left-${String(i)}`);
      await world.endLeases(dead.id);
      await waitUntil('everything left is published', async () => {
        const rows = await world.outbound();
        return rows.filter((r) => r.job.startsWith('left-') && r.outcome === 'sent').length === 20;
      });
    } finally {
      await heir.stop();
    }
    expect(await world.held()).toEqual({ nobody: 16 });
  });

  it('publish an append of their own process at once, without waiting for the next poll', async () => {
    const replica = new Replica(world);
    const eager = publisher(replica, { busyMs: 60_000, idleMs: 60_000, leaseMs: 60_000 });
    eager.start();
    try {
      await waitUntil('the shards are held', async () => (await world.held())[replica.id] === 16);
      await world.requeued('woken');
      eager.wake();
      await waitUntil('it is published', async () => (await world.outbound('woken')).length === 1, { withinMs: 5_000 });
    } finally {
      await eager.stop();
    }
  });

  it("leave the shards to the others where this replica's actions are off", async () => {
    const off = publisher(new Replica(world), { actions: 'off' });
    off.start();
    const on = new Replica(world);
    expect((await on.hold()).length).toBe(16);
    await off.stop();
  });
});
