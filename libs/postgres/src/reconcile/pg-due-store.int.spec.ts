import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World, fixedPolicies, useTestDatabase } from '#libs/testing';
import { PgDueStore } from './pg-due-store.js';

const T0 = 1_700_000_000_000;

describe('what is due', () => {
  const made = useTestDatabase();
  let world: World;

  beforeAll(async () => {
    world = new World(made.url, fixedPolicies());
    await world.startClock(T0);
    for (const queue of ['a', 'b', 'c', 'd']) {
      for (const job of ['1', '2', '3']) await world.send({ type: 'queued', job: `${queue}${job}`, queue });
    }
    await world.database.query('UPDATE jobwarden.jobs SET look_at_ms = $1', [T0]);
  });
  afterAll(() => world.close());

  it('gives every queue its turn, although all that is due comes again at once', async () => {
    const store = new PgDueStore(world.database);
    const look = async () => {
      const due = await store.due({ nowMs: T0, perQueue: 2, limit: 4 });
      return [...new Set(due.map((d) => d.ref.queue))].sort();
    };
    expect(await look()).toEqual(['a', 'b']);
    expect(await look()).toEqual(['c', 'd']);
    expect(await look()).toEqual(['a', 'b']);
  });

  it('goes on with the queue after the one whose turn was cut short', async () => {
    const store = new PgDueStore(world.database);
    const look = async () => (await store.due({ nowMs: T0, perQueue: 2, limit: 3 })).map((d) => d.ref.queue).sort();
    expect(await look()).toEqual(['a', 'a', 'b']);
    expect(await look()).toEqual(['c', 'c', 'd']);
    expect(await look()).toEqual(['a', 'a', 'b']);
  });

  it('looks at one queue alone when asked to, out of turn', async () => {
    const store = new PgDueStore(world.database);
    const due = await store.due({ nowMs: T0, perQueue: 2, limit: 10, queue: { namespace: 'default', queue: 'd' } });
    expect(due.map((d) => d.ref.queue)).toEqual(['d', 'd']);
    expect(await store.due({ nowMs: T0, perQueue: 2, limit: 10, queue: { namespace: 'none', queue: 'd' } })).toEqual([]);
  });
});
