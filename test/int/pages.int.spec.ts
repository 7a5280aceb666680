import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pgReadModels } from '#libs/postgres';
import type { Page, PageOf } from '#libs/application';
import { World, fixedPolicies, useTestDatabase } from '#libs/testing';

const T0 = 1_700_000_000_000;

describe('lists that do not fit on one page', () => {
  const database = useTestDatabase();
  let world: World;

  beforeAll(async () => {
    world = new World(database.url, fixedPolicies({ idempotent: true, startByMs: 1_000 }, 'act'));
    await world.startClock(T0);
    const error = { class: 'Boom', message: 'no' };
    for (let i = 0; i < 12; i += 1) {
      const job = `dead-${String(i)}`;
      // Several of one instant: a page may end between two of them.
      await world.at(T0 + Math.floor(i / 3) * 1_000);
      await world.send({ type: 'queued', job }, { type: 'failed', job, error, retryable: false });
      await world.run({ requested: true });
      await world.send({ type: 'queued', job: `waits-${String(i)}` }, { type: 'jobwarden.job.odd.v1', job });
    }
    await world.at(T0 + 60_000);
    await world.run({ requested: true });
  });
  afterAll(() => world.close());

  async function all<T>(list: (page: Page) => Promise<PageOf<T>>): Promise<readonly T[]> {
    const items: T[] = [];
    let after: string | null = null;
    do {
      const page: PageOf<T> = await list({ limit: 5, after });
      items.push(...page.items);
      after = page.next;
    } while (after !== null);
    return items;
  }

  it('show each row once: dead letters, jobs, queues, verdicts, runs and quarantine', async () => {
    const { jobs, queues, reconciliations, quarantine } = pgReadModels(world.database);
    const namespace = 'default';
    const letters = await all((page) => jobs.deadLetters({ namespace }, page));
    expect(new Set(letters.map((l) => l.ref.id)).size).toBe(12);
    expect(letters.length).toBe(12);
    const found = await all((page) => jobs.list({ namespace }, page));
    expect([found.length, new Set(found.map((j) => j.ref.id)).size]).toEqual([24, 24]);
    expect((await all((page) => queues.list(namespace, page))).length).toBe(1);
    expect((await all((page) => reconciliations.verdicts({ namespace }, page))).length).toBe(12);
    expect((await all((page) => reconciliations.list({ namespace }, page))).length).toBeGreaterThan(12);
    expect((await all((page) => quarantine.list({ namespaces: [namespace], previewBytes: 100 }, page))).length).toBe(12);
  });
});
