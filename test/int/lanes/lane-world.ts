// The way in from a broker on a real database, without the broker: batches are what the test says they are.
import { FactWriter, Heartbeats, LANE_HTTP, LaneIngest, type FeedBatch, type FeedPartition, type FeedRecord, type LaneStore } from '#libs/application';
import { parseContext, type IngestResult } from '#libs/contracts';
import { Database, PgLaneStore, PgQuarantineStore, PgQueueStateStore, QueueIds, workerKey } from '#libs/postgres';
import { World, fixedPolicies } from '#libs/testing';

export const NAME = 'kafka/events/3';
export const T0 = Date.now();

export interface Reader {
  readonly lanes: LaneIngest;
  readonly results: IngestResult[];
  /** Why lanes were stopped. */
  readonly stopped: string[];
}

export interface ReaderOptions {
  readonly clockMode?: 'real' | 'manual';
  readonly batchRecords?: number;
  /** In place of the real one, for some of its methods. */
  readonly store?: Partial<LaneStore>;
}

export class LaneWorld {
  readonly inner: World;
  readonly lanes: PgLaneStore;
  private eventCount = 0;

  constructor(url: string) {
    this.inner = new World(url, fixedPolicies({ idempotent: true }, 'observe'));
    this.lanes = new PgLaneStore(this.inner.database);
  }

  /** A reader of its own, as every replica has one. */
  reader({ clockMode = 'real', batchRecords, store = {} }: ReaderOptions = {}): Reader {
    const { database, log, leases, policies } = this.inner;
    const context = parseContext({ hashKey: Buffer.alloc(32, 7), transport: 'kafka', limits: { bodyBytes: 10_000 } });
    const [results, stopped]: [IngestResult[], string[]] = [[], []];
    const lanes = new LaneIngest(
      {
        writer: new FactWriter(log, policies, LANE_HTTP),
        lanes: Object.assign(Object.create(this.lanes) as LaneStore, store),
        heartbeats: new Heartbeats(log, leases, policies, LANE_HTTP),
        quarantine: new PgQuarantineStore(database),
        queueStates: new PgQueueStateStore(database, new QueueIds(database)),
        context: () => context,
        workerKey: (namespace, worker) => workerKey(namespace, worker).toString('hex'),
        observer: { stored: (_, more) => results.push(...more), stopped: (_, why) => void stopped.push(why) },
      },
      { clockMode, ...(batchRecords !== undefined && { batchRecords }) },
    );
    return { lanes, results, stopped };
  }

  /** A job's event as JSON. `type`: `started`, or a whole one. */
  event(type: string, subject: string, data: Readonly<Record<string, unknown>> = {}, id?: string): Buffer {
    this.eventCount += 1;
    const full = type.includes('.') ? type : `jobwarden.job.${type}.v1`;
    const event = { specversion: '1.0', id: id ?? `e${this.eventCount}`, source: 'test', subject, type: full };
    return Buffer.from(JSON.stringify({ ...event, data: { queue: 'q', ...data } }));
  }

  async rows<Row extends object>(text: string, ...values: readonly unknown[]): Promise<Row[]> {
    return await this.inner.database.query<Row>(text, values);
  }

  /** What the service itself may not do. */
  async asOwner(text: string): Promise<void> {
    const owner = new Database({ url: this.inner.database.url, poolSize: 1 });
    await owner.query(text).finally(() => owner.close());
  }

  async lane(name = NAME): Promise<LaneRow> {
    const [row] = await this.rows<LaneRow>(
      `SELECT lane, next, read_ms AS "readMs", gap_end_ms AS "gapEndMs", stopped FROM jobwarden.lanes WHERE name = $1`,
      name,
    );
    if (row === undefined) throw new Error(`${name} was never opened`);
    return row;
  }

  /** Event ids in the log, in no order. */
  async ids(): Promise<readonly string[]> {
    return (await this.rows<{ id: string }>(`SELECT id FROM jobwarden.events WHERE source = 'test' ORDER BY id`)).map(({ id }) => id);
  }

  async quarantined(): Promise<readonly QuarantineRow[]> {
    return await this.rows<QuarantineRow>(
      `SELECT origin, reason, bytes, lane, job_id AS job FROM jobwarden.quarantine ORDER BY quarantine_id`,
    );
  }
}

export interface LaneRow {
  readonly lane: number;
  readonly next: number;
  readonly readMs: number;
  readonly gapEndMs: number;
  readonly stopped: string | null;
}

export interface QuarantineRow {
  readonly origin: string;
  readonly reason: string;
  readonly bytes: Buffer;
  readonly lane: number;
  readonly job: string | null;
}

export function partition(changes: Partial<FeedPartition> = {}): FeedPartition {
  return { name: NAME, low: 0, high: 1_000_000, origin: 'cluster', ...changes };
}

export function record(offset: number, value: Buffer | null, changes: Partial<FeedRecord> = {}): FeedRecord {
  return { offset, timeMs: T0 + offset, key: null, value, headers: {}, tick: false, ...changes };
}

export function tick(offset: number, timeMs: number): FeedRecord {
  return record(offset, Buffer.alloc(0), { timeMs, tick: true });
}

export function batch(records: readonly FeedRecord[], next = (records.at(-1)?.offset ?? -1) + 1, name = NAME): FeedBatch {
  const [, topic = '', number = ''] = name.split('/');
  return { name, topic, partition: Number(number), records, next };
}
