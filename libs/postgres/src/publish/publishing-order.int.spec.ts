import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeEvent } from '#libs/application';
import { useTestDatabase } from '#libs/testing';
import { Database } from '../database.js';
import type { Connection } from '../database.js';
import { PublishingWorld, Replica, REPUBLISHED, REQUEUED } from './publishing.fixture.js';

describe('the order of publishing', () => {
  const database = useTestDatabase();
  let world: PublishingWorld;
  let writers: Database;

  beforeAll(() => {
    world = new PublishingWorld(database.url);
    writers = new Database({ url: database.url, poolSize: 4, role: 'jobwarden_app' });
  });
  afterEach(() => world.endLeases());
  afterAll(async () => {
    await writers.close();
    await world.close();
  });

  it('is per job that of its log, in small batches, with parked and late messages among them (E3)', async () => {
    const jobs = Array.from({ length: 12 }, (_, i) => `e3-${String(i)}`);
    for (const [i, job] of jobs.entries()) await world.requeued(job, i % 4 === 0 ? { payload: 'y'.repeat(200) } : {});
    await new Replica(world, { limits: { batchEntries: 2, payloadLimitBytes: 100 } }).publish();
    for (let round = 0; round < 3; round += 1) for (const job of jobs) await world.decide(job, REPUBLISHED);
    await world.endLeases();
    await new Replica(world, { limits: { batchEntries: 3 } }).publish();
    for (const job of jobs) {
      const rows = await world.outbound(job);
      expect(rows.map((r) => r.outcome)).toEqual(['sent', 'sent', 'sent', 'sent']);
      const places = rows.map((r) => r.place ?? 0);
      expect(places).toEqual([...places].sort((a, b) => a - b));
    }
  });

  it('misses nothing of many writers at once that it publishes behind', async () => {
    const jobs = Array.from({ length: 60 }, (_, i) => `e1-${String(i)}`);
    await world.send(...jobs.map((job) => ({ type: 'queued', job })));
    await world.send(...jobs.map((job) => ({ type: 'started', job, worker: { id: 'w1' } })));
    const replica = new Replica(world, { limits: { batchEntries: 3 } });
    const written = new AbortController();
    const reading = (async () => {
      while (!written.signal.aborted) await replica.publish();
      await replica.publish();
    })();
    await Promise.all(jobs.map((job) => world.decide(job, REQUEUED)));
    written.abort();
    await reading;
    const rows = (await world.outbound()).filter((r) => r.job.startsWith('e1-'));
    expect(rows.map((r) => r.outcome)).toEqual(jobs.map(() => 'sent'));
  });

  it('delivers what a slow writer commits last, and its twin with a sequence loses it', async () => {
    await world.send(
      ...['slow', 'quick', 'twin-slow', 'twin-quick'].flatMap((job) => [
        { type: 'queued', job },
        { type: 'started', job, worker: { id: 'w1' } },
      ]),
    );
    expect(await raced('slow', 'quick', 'counter')).toEqual(['quick', 'slow']);
    expect(await raced('twin-slow', 'twin-quick', 'sequence')).toEqual(['twin-quick']);
  });

  /** `slow` takes its number first and commits last; the publisher looks in between, and once more afterwards. */
  async function raced(slow: string, quick: string, numbers: 'counter' | 'sequence'): Promise<string[]> {
    const replica = new Replica(world);
    const [start] = await writers.query<{ number: number }>('SELECT number FROM jobwarden.shards WHERE shard = 0');
    let next = start?.number ?? 0;
    const take = async (tx: Connection): Promise<number> => {
      if (numbers === 'sequence') return (next += 1);
      const [row] = await tx.query<{ number: number }>(
        'UPDATE jobwarden.shards SET number = number + 1 WHERE shard = 0 RETURNING number',
      );
      return row?.number ?? 0;
    };
    await writers.connected(async (a) => {
      await a.query('BEGIN');
      await append(a, slow, await take(a));
      // With the counter the quick one waits here for the slow one's commit: it cannot come before it.
      const quickly = writers.connected(async (b) => {
        await b.query('BEGIN');
        await append(b, quick, await take(b));
        await b.query('COMMIT');
      });
      if (numbers === 'sequence') await quickly;
      await replica.publish();
      await a.query('COMMIT');
      await quickly;
    });
    if (numbers === 'sequence') await writers.query('UPDATE jobwarden.shards SET number = $1 WHERE shard = 0', [next]);
    await replica.publish();
    await world.endLeases();
    const rows = await world.outbound();
    return rows
      .map((r) => r.job)
      .filter((job) => job === slow || job === quick)
      .sort();
  }

  /** All in shard 0, wherever the job would belong: what is looked at is the shard's numbers. */
  async function append(tx: Connection, job: string, number: number): Promise<void> {
    const record = encodeEvent({ kind: 'decision', decision: { ...REQUEUED, n: 1, laneMs: 1 } }, null);
    await tx.query(
      `INSERT INTO jobwarden.events (period, shard, number, job_key, event_key, type, n, lane, lane_ms, goes_out, source, id, data)
       SELECT period, 0, $2, job_key, decode('00', 'hex'), $3, 1, 1, 1, true, $4, $5, $6 FROM jobwarden.jobs WHERE job_id = $1`,
      [job, number, record.type, record.source, record.id, record.data],
    );
  }
});
