import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { PgPublishingReport } from './pg-publishing-report.js';
import { PublishingWorld, Replica, REPUBLISHED } from './publishing.fixture.js';

const SMALL = { limits: { payloadLimitBytes: 100 } };
const big = { payload: 'x'.repeat(200), invalidates: { keys: ['k'] } };

describe('what cannot be delivered', () => {
  const database = useTestDatabase();
  let world: PublishingWorld;
  let report: PgPublishingReport;

  beforeAll(() => {
    world = new PublishingWorld(database.url);
    report = new PgPublishingReport(world.database);
  });
  afterEach(() => world.endLeases());
  afterAll(() => world.close());

  const standing = async (job: string): Promise<unknown[]> =>
    (await world.outbound(job)).map((r) => [r.kind, r.outcome, r.detail]);

  it('is parked with its size and the limit, and holds up the rest of its own job only', async () => {
    await world.requeued('large', big);
    await world.requeued('small', { payload: 1 });
    await world.decide('large', REPUBLISHED);
    const [large] = await world.database.query<{ shard: number }>(
      `SELECT shard FROM jobwarden.jobs WHERE job_id = 'large'`,
    );
    await new Replica(world, SMALL).publish();
    expect(await standing('large')).toEqual([
      ['invalidation', 'sent', null],
      ['enqueue', 'parked', 'payload_too_large: 202 bytes, the limit is 100'],
      ['enqueue', 'parked', expect.stringMatching(/^behind: waits for \d+$/)],
    ]);
    expect(await standing('small')).toEqual([['enqueue', 'sent', null]]);
    const { items } = await report.parked({ namespace: 'default' }, { limit: 10, after: null });
    expect(items).toMatchObject([
      { ref: { namespace: 'default', queue: 'q', id: 'large' }, kind: 'enqueue', target: 'stream', behind: 1 },
    ]);
    expect(items[0]?.detail).toContain('202 bytes');
    expect(items[0]?.id).toMatch(new RegExp(`^out\\.${String(large?.shard)}\\.\\d+\\.enqueue$`));
    expect(await report.parkedCount()).toBe(2);
  });

  it('goes out in order when it is tried again and has become deliverable', async () => {
    const { items } = await report.parked({ namespace: 'default' }, { limit: 10, after: null });
    const id = items[0]?.id ?? '';
    expect(await report.retry(id, 'another')).toBe(false);
    expect(await report.retry('out.0.1.nothing', 'default')).toBe(false);
    expect(await report.retry(id, 'default')).toBe(true);
    await new Replica(world, SMALL).publish();
    expect((await standing('large')).map((s) => (s as string[])[1])).toEqual(['sent', 'parked', 'parked']);
    await world.endLeases();
    expect(await report.retry(id, 'default')).toBe(true);
    await new Replica(world).publish();
    const rows = await world.outbound('large');
    expect(rows.map((r) => r.outcome)).toEqual(['sent', 'sent', 'sent']);
    expect(rows.map((r) => r.place)).toEqual([...rows.map((r) => r.place)].sort((a, b) => (a ?? 0) - (b ?? 0)));
    expect(rows[1]?.message.data).toMatchObject({ payload: big.payload, invalidation: { number: rows[1]?.number } });
    expect(await report.retry(id, 'default')).toBe(false);
    expect(await report.parkedCount()).toBe(0);
  });

  it('lets later messages of its job pass as soon as it is no longer true', async () => {
    await world.requeued('over', big);
    await new Replica(world, SMALL).publish();
    await world.endLeases();
    await world.send({ type: 'succeeded', job: 'over', worker: { id: 'w1' } });
    await world.decide('over', { kind: 'stop-requested', attempt: 2, reason: 'finished', by: 'jobwarden' });
    await new Replica(world, SMALL).publish();
    expect(await standing('over')).toEqual([
      ['invalidation', 'sent', null],
      ['enqueue', 'skipped', 'the job is succeeded'],
      ['invalidation', 'sent', null],
      ['stop', 'sent', null],
    ]);
  });

  it('is a payload that has been erased', async () => {
    await world.requeued('erased', { payload: { secret: 1 } });
    await world.database.query(
      `UPDATE jobwarden.bodies SET bytes = NULL WHERE job_key = (SELECT job_key FROM jobwarden.jobs WHERE job_id = 'erased')`,
    );
    await new Replica(world).publish();
    expect(await standing('erased')).toEqual([['enqueue', 'parked', 'payload_erased: the payload is no longer kept']]);
    const rows = await world.database.query<{ message: string }>(
      `SELECT message FROM jobwarden.outbound WHERE outcome = 'parked'`,
    );
    expect(rows.every((r) => !r.message.includes('secret'))).toBe(true);
  });

  it('is listed in pages, newest first, each once', async () => {
    for (const job of ['page-1', 'page-2', 'page-3']) await world.requeued(job, big);
    await new Replica(world, SMALL).publish();
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: { items: readonly { ref: { id: string } }[]; next: string | null } = await report.parked(
        { namespace: 'default', queue: 'q' },
        { limit: 2, after },
      );
      seen.push(...page.items.map((i) => i.ref.id));
      after = page.next;
    } while (after !== null);
    expect([...seen].sort()).toEqual(['erased', 'page-1', 'page-2', 'page-3']);
    await expect(report.parked({ namespace: 'default' }, { limit: 2, after: 'x' })).rejects.toMatchObject({
      code: 'cursor_invalid',
    });
  });
});
