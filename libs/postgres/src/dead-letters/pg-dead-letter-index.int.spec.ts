import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SortDeadLetters } from '#libs/application';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { PgDeadLetterIndex } from './pg-dead-letter-index.js';
import { PgDeadLetterReads } from './pg-dead-letter-reads.js';
import { PgRedriveStore } from './pg-redrive-store.js';
import { PATTERNS_PER_QUEUE } from './statements.js';

describe('sorting dead letters', () => {
  const database = useTestDatabase();
  let world: World;
  beforeAll(async () => {
    world = new World(database.url, fixedPolicies({ idempotent: true, maxRetries: 0 }, 'act'));
    await world.startClock(1_000_000_000);
  });
  afterAll(() => world.close());

  const sorter = () => new SortDeadLetters(new PgDeadLetterIndex(world.database));
  async function sortAll(): Promise<void> {
    const sort = sorter();
    while (await sort.turn());
  }
  const reads = () => new PgDeadLetterReads(world.database);
  const list = async (queue: string) => await reads().patterns({ namespace: 'default', queue, sinceMs: 0, arrivedOnly: false, markedOnly: false, reviewedMs: null }, { limit: 10, after: null });

  async function die(queue: string, messages: readonly string[]): Promise<void> {
    await world.send(
      ...messages.flatMap((message, i) => [
        { type: 'queued', queue, job: `${message}-${String(i)}` },
        { type: 'failed', queue, job: `${message}-${String(i)}`, retryable: false, error: { class: 'E', message } },
      ]),
    );
    while ((await world.run()).decided > 0);
  }

  it('counts each once, however many sort at the same time', async () => {
    await die('racing', Array.from({ length: 300 }, (_, i) => `broken ${['pipe', 'leg', 'glass'][i % 3]!}`));
    const racers = [sorter(), sorter(), sorter()];
    await Promise.all(racers.map(async (sort) => { while (await sort.turn()); }));
    await sortAll();
    const { items, arrived, total } = await list('racing');
    expect(items.map(({ pattern, letters }) => [pattern.message, letters]).sort()).toEqual([['broken glass', 100], ['broken leg', 100], ['broken pipe', 100]]);
    expect([arrived, total]).toEqual([300, 3]);
  });

  it('finds the same again from the beginning of the log', async () => {
    const before = await list('racing');
    await world.database.query('DELETE FROM jobwarden.dead_letter_patterns');
    await world.database.query('UPDATE jobwarden.dead_letter_readers SET number = 0');
    await sortAll();
    const gist = ({ items }: typeof before) => items.map(({ pattern, letters, firstMs, lastMs }) => ({ pattern, letters, firstMs, lastMs }));
    const byMessage = (a: { pattern: { message: string } }, b: { pattern: { message: string } }) => (a.pattern.message < b.pattern.message ? -1 : 1);
    expect(gist(await list('racing')).sort(byMessage)).toEqual(gist(before).sort(byMessage));
  });

  it('puts what would be too many patterns of a queue under one', async () => {
    await world.database.query(
      `INSERT INTO jobwarden.dead_letter_patterns (fingerprint, queue_id, reason, message, frames, first_ms, last_ms, letters)
       SELECT decode(md5(i::text), 'hex'), q.queue_id, 'failed', 'm' || i, '[]', 0, 0, 1
       FROM generate_series(1, $1 - 1) i, jobwarden.queues q WHERE q.queue = 'racing'`,
      [PATTERNS_PER_QUEUE - 3],
    );
    await die('racing', ['the last that has room', 'one too many', 'and another']);
    await sortAll();
    const { items, total } = await list('racing');
    expect(total).toBe(PATTERNS_PER_QUEUE + 1);
    const fresh = items.map(({ pattern, letters }) => [pattern.reason, pattern.message, letters]).filter(([, message]) => !String(message).startsWith('broken'));
    expect(fresh).toContainEqual(['other', '', 2]);
  });

  it('has one such for all kinds of a queue, whose letters are found by their own reason still', async () => {
    const kinds = ['welcome', 'goodbye'];
    const error = { class: 'E', message: 'of some kind' };
    await world.send(...kinds.flatMap((kind) => [{ type: 'queued', queue: 'racing', job: kind, kind }, { type: 'failed', queue: 'racing', job: kind, retryable: false, error }]));
    while ((await world.run()).decided > 0);
    await sortAll();
    const { items, total } = await list('racing');
    expect(total).toBe(PATTERNS_PER_QUEUE + 1);
    expect(items.map(({ pattern, kind, letters }) => [pattern.reason, kind, letters])).toContainEqual(['other', null, 4]);
    const found = async (diedOf: string) => await new PgRedriveStore(world.database).count({ namespace: 'default', queue: 'racing', diedOf });
    expect([await found('failed'), await found('lost')]).toEqual([305, 0]);
  });
});
