import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FactWriter, decodeEvent, factItem, type EventRecord, type FactItem } from '#libs/application';
import { parseContext, parseEvent } from '#libs/contracts';
import { foldJob, stateToJson } from '#libs/domain';
import { fixedPolicies, useTestDatabase } from '#libs/testing';
import { Database, type Connection, type DatabaseOptions } from '../database.js';
import { PgLogStore } from './pg-log-store.js';
import { QueueIds } from './queue-ids.js';

const context = parseContext({ hashKey: Buffer.alloc(32, 7) });

function item(id: string, type: string, eventId: string, data: Record<string, unknown> = {}): FactItem {
  const parsed = parseEvent(
    {
      specversion: '1.0',
      id: eventId,
      source: 'test',
      subject: id,
      type: `jobwarden.job.${type}.v1`,
      data: { queue: 'q', ...data },
    },
    context,
  );
  if (!parsed.ok || parsed.kind !== 'fact') throw new Error('the test event is broken');
  return factItem(parsed);
}

/** Lets `race` happen after each look for a batch's jobs, before the new ones are inserted. */
class RacedDatabase extends Database {
  constructor(
    options: DatabaseOptions,
    private readonly race: () => Promise<void>,
  ) {
    super(options);
  }

  override async connected<T>(work: (client: Connection) => Promise<T>): Promise<T> {
    return await super.connected(async (client) => {
      const ask = client.prepared.bind(client);
      client.prepared = async <R extends object>(name: string, text: string, values: readonly unknown[]): Promise<R[]> => {
        const rows = await ask<R>(name, text, values);
        if (name === 'lock_wait' || name === 'read_rows') await this.race();
        return rows;
      };
      return await work(client);
    });
  }
}

const worker = { worker: { id: 'w1' } };

describe('the writer', () => {
  const database = useTestDatabase();
  let db: Database;
  let writer: FactWriter;

  function newWriter(store: Database): FactWriter {
    return new FactWriter(new PgLogStore(store, new QueueIds(store), { shards: 16 }), fixedPolicies(), 0);
  }

  beforeAll(() => {
    db = new Database({ url: database.url, poolSize: 20, role: 'jobwarden_app' });
    writer = newWriter(db);
  });
  afterAll(async () => {
    await db.close();
  });

  async function expectRowsEqualFolds(): Promise<number> {
    const events = await db.query<EventRecord & { key: string }>(
      `SELECT encode(job_key, 'hex') AS key, type, n, source, id, lane_ms AS "laneMs", data
       FROM jobwarden.events ORDER BY shard, number`,
    );
    const byJob = Map.groupBy(events, (e) => e.key);
    const rows = await db.query<{ key: string; state: string }>(
      `SELECT encode(job_key, 'hex') AS key, state FROM jobwarden.jobs`,
    );
    for (const row of rows) expect(row.state).toBe(stateToJson(foldJob((byJob.get(row.key) ?? []).map(decodeEvent))));
    return rows.length;
  }

  it('appends facts, answers repeats with their position, and tells a reused id apart', async () => {
    const [first] = await writer.append([item('a', 'queued', '1', { kind: 'mail' })]);
    expect(first).toMatchObject({ outcome: 'appended' });
    const again = await writer.append([item('a', 'queued', '1', { kind: 'mail' }), item('a', 'started', '2', worker)]);
    expect(again[0]).toEqual({ ...first, outcome: 'duplicate' });
    expect(again[1]).toMatchObject({ outcome: 'appended' });
    const reused = await writer.append([item('a', 'queued', '1', { kind: 'other' })]);
    expect(reused[0]).toMatchObject({ outcome: 'quarantined', code: 'id_reused' });
    await expectRowsEqualFolds();
  });

  it('keeps counters that are the sum over the rows', async () => {
    await writer.append([
      item('c', 'queued', '1'),
      item('c', 'started', '2', worker),
      item('c', 'succeeded', '3', { ...worker, durationMs: 1_000 }),
    ]);
    const [sums] = await db.query<{ succeeded: number; ended: number; runs: number; jobs: number }>(
      `SELECT sum(succeeded) AS succeeded, sum(attempts_succeeded) AS ended,
              (SELECT sum(count) FROM jobwarden.run_times) AS runs,
              (SELECT count(*) FROM jobwarden.jobs WHERE status = 'succeeded') AS jobs FROM jobwarden.queue_counters`,
    );
    expect(Number(sums?.succeeded)).toBe(Number(sums?.jobs));
    expect(Number(sums?.ended)).toBe(1);
    expect(Number(sums?.runs)).toBe(1);
  });

  it('folds on the newest row, although another process has written it meanwhile', async () => {
    const other = newWriter(db);
    const told = [
      await writer.append([item('twice', 'queued', '1'), item('once', 'queued', '1')]),
      await other.append([item('twice', 'started', '2', worker)]),
      await writer.append([item('twice', 'started', '3', { worker: { id: 'w2' } }), item('once', 'started', '2', worker)]),
      await writer.append([item('twice', 'succeeded', '4', worker)]),
    ];
    expect(told.flat().map((o) => o.outcome)).toEqual(Array.from({ length: 6 }, () => 'appended'));
    const rows = await db.query<{ row_version: number }>(`SELECT row_version FROM jobwarden.jobs WHERE job_id = 'twice'`);
    expect(rows).toEqual([{ row_version: 4 }]);
    await expectRowsEqualFolds();
  });

  it('lets two writers of a new job through, and both find the same row', async () => {
    const other = newWriter(db);
    for (let i = 0; i < 20; i += 1) {
      const id = `new-${String(i)}`;
      await Promise.all([writer.append([item(id, 'queued', '1')]), other.append([item(id, 'started', '2', worker)])]);
    }
    await expectRowsEqualFolds();
  });

  it('lets sixteen writers work over the same fifty jobs without a deadlock reaching them', async () => {
    const writers = Array.from({ length: 16 }, () => newWriter(db));
    await Promise.all(
      writers.map(async (w, n) => {
        for (let round = 0; round < 5; round += 1) {
          const ids = Array.from({ length: 50 }, (_, i) => `shared-${String((i * 7 + n * 13) % 50)}`);
          await w.append(
            ids.map((id) =>
              item(id, 'started', `${String(n)}/${String(round)}`, { worker: { id: `w${String(n)}` }, attempt: round + 1 }),
            ),
          );
        }
      }),
    );
    const [count] = await db.query<{ count: number }>(
      `SELECT count(*) FROM jobwarden.events e JOIN jobwarden.jobs j USING (job_key) WHERE j.job_id LIKE 'shared-%'`,
    );
    expect(count?.count).toBe(16 * 5 * 50);
    await expectRowsEqualFolds();
  });

  it('has every lock taken in one order: nobody waits for ever where deadlocks are not resolved', async () => {
    const owner = new Database({ url: database.url });
    await owner.query(`ALTER DATABASE ${database.name} SET deadlock_timeout = '1h'`);
    const patient = new Database({ url: database.url, poolSize: 12, role: 'jobwarden_app' });
    try {
      for (let round = 0; round < 4; round += 1) {
        const ids = Array.from({ length: 400 }, (_, i) => `ordered-${String(round)}-${String(i)}`);
        await Promise.all(
          Array.from({ length: 12 }, async (_, n) => {
            // Each brings the same jobs, new to all of them, in an order of its own.
            const own = ids.map((_id, i) => ids[(i * 7 + n * 13) % ids.length] ?? '');
            await newWriter(patient).append(own.map((id) => item(id, 'started', `${String(n)}/${id}`, { worker: { id: `w${String(n)}` } })));
          }),
        );
      }
      await expectRowsEqualFolds();
    } finally {
      await patient.close();
      await owner.query(`ALTER DATABASE ${database.name} RESET deadlock_timeout`);
      await owner.close();
    }
  });

  it('gets a batch of new jobs through, although somebody makes one of them at every try', async () => {
    const items = Array.from({ length: 20 }, (_, i) => item(`wanted-${String(i)}`, 'queued', '1'));
    let made = 0;
    const racing = new RacedDatabase({ url: database.url, poolSize: 2, role: 'jobwarden_app' }, async () => {
      const id = `wanted-${String(made)}`;
      const there = await db.query('SELECT FROM jobwarden.jobs WHERE job_id = $1', [id]);
      // Of a row that is there the batch holds the lock by now.
      if (there.length > 0) return;
      await writer.append([item(id, 'started', '2', worker)]);
      made += 1;
    });
    try {
      const outcomes = await newWriter(racing).append(items);
      expect(outcomes.map((o) => o.outcome)).toEqual(items.map(() => 'appended'));
      expect(made).toBeGreaterThan(0);
      await expectRowsEqualFolds();
    } finally {
      await racing.close();
    }
  });

  it('names the one event that cannot be stored, and stores its neighbours', async () => {
    const [before, broken, after] = ['1', '2', '3'].map((id) => item(`odd-${id}`, 'queued', id));
    if (before === undefined || broken === undefined || after === undefined) throw new Error('three were asked for');
    // Parsing refuses it; here it gets as far as the log's own table, the last statement of all.
    const id = 'nul \0 in it';
    const unstorable = { ...broken, parsed: { ...broken.parsed, id, fact: { ...broken.parsed.fact, id } } };
    const outcomes = await writer.append([before, unstorable, after]);
    expect(outcomes.map((o) => o.outcome)).toEqual(['appended', 'quarantined', 'appended']);
    const again = await writer.append([before, after]);
    expect(again.map((o) => o.outcome)).toEqual(['duplicate', 'duplicate']);
    expect(await db.query(`SELECT FROM jobwarden.jobs WHERE job_id = 'odd-2'`)).toEqual([]);
    await expectRowsEqualFolds();
  });

  it('gives numbers without gaps within a shard, in the order of the commits', async () => {
    const shards = await db.query<{ shard: number; number: number; count: number; max: number | null }>(
      `SELECT s.shard, s.number, count(e.*) AS count, max(e.number) AS max
       FROM jobwarden.shards s LEFT JOIN jobwarden.events e USING (shard) GROUP BY 1, 2`,
    );
    for (const s of shards) expect([s.number, s.count]).toEqual([s.max ?? 0, s.max ?? 0]);
  });

  it('refuses to change or remove what is in the log', async () => {
    await expect(db.query(`UPDATE jobwarden.events SET source = 'x'`)).rejects.toThrow(/permission denied/);
    const owner = new Database({ url: database.url });
    try {
      for (const sql of ['DELETE FROM jobwarden.events', 'TRUNCATE jobwarden.events', `UPDATE jobwarden.events SET id = ''`])
        await expect(owner.query(sql)).rejects.toThrow(/append-only/);
    } finally {
      await owner.close();
    }
  });
});
