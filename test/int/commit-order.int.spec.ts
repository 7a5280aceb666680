import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FactWriter, factItem, type FactItem } from '#libs/application';
import { jobKey, parseContext, parseEvent, shardOf } from '#libs/contracts';
import { Database, PgLogStore, QueueIds } from '#libs/postgres';
import { fixedPolicies, useTestDatabase, createTestDatabase } from '#libs/testing';

const context = parseContext({ hashKey: Buffer.alloc(32, 7) });

/** Case E1: number order is commit order, so a reader needs no horizon and no timer. */
describe('positions', () => {
  const database = useTestDatabase();
  let db: Database;

  beforeAll(() => {
    db = new Database({ url: database.url, poolSize: 12, role: 'jobwarden_app' });
  });
  afterAll(async () => {
    await db.close();
  });

  it('show every event to a reader that only goes forward, whatever the order of a thousand schedules', async () => {
    const random = generator(11);
    const hold = async (): Promise<void> => {
      for (let i = Math.floor(random() * 20); i > 0; i -= 1) await turn();
    };
    const writer = new FactWriter(
      new PgLogStore(db, new QueueIds(db), { shards: 16, failpoint: hold }),
      fixedPolicies(),
      0,
    );
    const reader = new ForwardReader(db);
    for (let n = 0; n < 250; n += 1) {
      const writers = [0, 1, 2, 3].map(async (i) => {
        await hold();
        await writer.append([queued(sameShard(n * 4 + i))]);
      });
      const round = { over: false };
      const all = Promise.all(writers).then(() => (round.over = true));
      while (!round.over) await reader.read();
      await all;
      await reader.read();
      expect(reader.seen.length).toBe((n + 1) * 4);
    }
    expect(new Set(reader.seen).size).toBe(1_000);
  });

  it('would lose events if they came from a sequence', async () => {
    const twin = await createTestDatabase({ empty: true });
    const a = new pg.Client({ connectionString: twin.url });
    const b = new pg.Client({ connectionString: twin.url });
    await Promise.all([a.connect(), b.connect()]);
    try {
      await a.query('CREATE TABLE events (number bigserial PRIMARY KEY, id text)');
      await a.query('BEGIN');
      await a.query(`INSERT INTO events (id) VALUES ('first')`);
      await b.query(`INSERT INTO events (id) VALUES ('second')`);
      const read = async (after: number): Promise<{ number: string; id: string }[]> =>
        (await b.query<{ number: string; id: string }>('SELECT * FROM events WHERE number > $1 ORDER BY 1', [after])).rows;
      const seen = await read(0);
      await a.query('COMMIT');
      seen.push(...(await read(Number(seen.at(-1)?.number))));
      expect(seen.map((s) => s.id)).toEqual(['second']);
    } finally {
      await Promise.all([a.end(), b.end()]);
      await twin.drop();
    }
  });

  /** Case E2. */
  it('are not held up by a transaction left open elsewhere, and only in its shard by one left open in it', async () => {
    const stranger = new pg.Client({ connectionString: database.url });
    await stranger.connect();
    const other = await createTestDatabase({ empty: true });
    const elsewhere = new pg.Client({ connectionString: other.url });
    await elsewhere.connect();
    try {
      await elsewhere.query('BEGIN; SELECT pg_current_xact_id()');
      await stranger.query('BEGIN');
      await stranger.query('UPDATE jobwarden.shards SET number = number WHERE shard = 3');
      const writer = new FactWriter(new PgLogStore(db, new QueueIds(db), { shards: 16 }), fixedPolicies(), 0);
      const free = await writer.append([queued(inShard(5, 'free'))]);
      expect(free).toMatchObject([{ outcome: 'appended' }]);
      let held = true;
      const waits = writer.append([queued(inShard(3, 'held'))]).then((r) => {
        held = false;
        return r;
      });
      const [row] = await db.query<{ count: number }>(
        `SELECT count(*) FROM jobwarden.events e JOIN jobwarden.jobs j USING (job_key) WHERE j.job_id LIKE 'free%'`,
      );
      expect(row?.count).toBe(1);
      expect(held).toBe(true);
      await stranger.query('ROLLBACK');
      expect(await waits).toMatchObject([{ outcome: 'appended' }]);
    } finally {
      await Promise.all([stranger.end(), elsewhere.end()]);
      await other.drop();
    }
  });

  it('are all still readable after a dump and a restore, and go on where they stood', async () => {
    const restored = await createTestDatabase();
    const target = new Database({ url: restored.url });
    try {
      const source = new Database({ url: database.url });
      await restore(source, target).finally(() => source.close());
      const reader = new ForwardReader(target);
      await reader.read();
      const [count] = await db.query<{ count: number }>('SELECT count(*) FROM jobwarden.events WHERE shard = $1', [SHARD]);
      expect(reader.seen.length).toBe(count?.count);
      const writer = new FactWriter(new PgLogStore(target, new QueueIds(target), { shards: 16 }), fixedPolicies(), 0);
      await writer.append([queued(sameShard(9_999))]);
      await reader.read();
      expect(reader.seen.length).toBe((count?.count ?? 0) + 1);
    } finally {
      await target.close();
      await restored.drop();
    }
  });
});

/** What a logical dump carries: rows, without transaction ids, into a new database. */
async function restore(source: Database, target: Database): Promise<void> {
  for (const { period } of await source.query<{ period: number }>('SELECT DISTINCT period FROM jobwarden.jobs'))
    await target.query('SELECT jobwarden.ensure_period($1)', [period]);
  for (const table of ['queues', 'jobs', 'events', 'shards']) {
    await target.query(table === 'shards' ? 'DELETE FROM jobwarden.shards' : 'SELECT 1');
    const rows = await source.query<{ row: string }>(`SELECT row_to_json(t)::text AS row FROM jobwarden.${table} t`);
    const overriding = table === 'queues' ? 'OVERRIDING SYSTEM VALUE' : '';
    await target.query(
      `INSERT INTO jobwarden.${table} ${overriding}
       SELECT r.* FROM unnest($1::json[]) AS j (row), json_populate_record(NULL::jobwarden.${table}, j.row) AS r`,
      [rows.map((r) => r.row)],
    );
  }
}

class ForwardReader {
  readonly seen: string[] = [];
  private after = 0;

  constructor(private readonly db: Database) {}

  async read(): Promise<void> {
    const rows = await this.db.query<{ number: number; id: string }>(
      `SELECT number, encode(job_key, 'hex') AS id FROM jobwarden.events WHERE shard = $1 AND number > $2 ORDER BY number`,
      [SHARD, this.after],
    );
    for (const row of rows) this.seen.push(row.id);
    this.after = rows.at(-1)?.number ?? this.after;
  }
}

const SHARD = 7;

function sameShard(n: number): string {
  return inShard(SHARD, `r${String(n)}`);
}

/** The first id with this prefix that falls into the shard. */
function inShard(shard: number, prefix: string): string {
  for (let i = 0; ; i += 1) {
    const id = `${prefix}-${String(i)}`;
    if (shardOf(jobKey({ namespace: 'default', queue: 'q', id }), 16) === shard) return id;
  }
}

function queued(id: string): FactItem {
  const parsed = parseEvent(
    { specversion: '1.0', id: '1', source: 't', subject: id, type: 'jobwarden.job.queued.v1', data: { queue: 'q' } },
    context,
  );
  if (!parsed.ok || parsed.kind !== 'fact') throw new Error('the test event is broken');
  return factItem(parsed);
}

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x8000_0000;
  };
}
