import { encodeEvent, type JobWrite, type Lane, type NewEvent, type PositionLookup } from '#libs/application';
import { withRoom, writeInt8 } from './binary-arrays.js';

/** The log's rows go in by COPY, which takes half the server's time of an INSERT of as many. */
export const COPY_EVENTS = `
COPY jobwarden.events (period, shard, number, job_key, event_key, content_hash, type, n, lane, lane_ms, goes_out,
                       source, id, data) FROM STDIN (FORMAT binary)`;
const COLUMNS = 14;

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = -1;
/** Of one row: everything but the bytes of content hash and texts. */
const ROW_BYTES = 192;

/** One job's rows: they stand together, so their numbers are consecutive. */
interface Placed {
  readonly write: JobWrite;
  /** Where their numbers go. */
  readonly at: readonly number[];
}

/**
 * A batch's rows of the log in COPY's binary form. Written while the server is still busy with the rows of the jobs;
 * the shards' numbers, which come last, are then only filled in.
 */
export class EventRows {
  private buffer: Buffer = Buffer.allocUnsafe(1 << 16);
  private end = SIGNATURE.copy(this.buffer);
  private readonly placed: Placed[];

  constructor(
    writes: readonly JobWrite[],
    private readonly lane: Lane,
  ) {
    this.placed = writes.map((write) => ({ write, at: write.events.map((event) => this.add(write, event)) }));
    this.makeRoom(2);
    this.end = this.buffer.writeInt16BE(TRAILER, this.end);
  }

  /** Gives each row the next number of its shard; `last` are those used so far. Answers where each event now lies. */
  number(last: ReadonlyMap<number, number>): PositionLookup {
    const next = new Map(last);
    const jobs = new Map<string, { readonly first: number; readonly write: JobWrite }>();
    for (const { write, at } of this.placed) {
      const first = (next.get(write.job.shard) ?? 0) + 1;
      next.set(write.job.shard, first + at.length - 1);
      for (let i = 0; i < at.length; i += 1) writeInt8(this.buffer, at[i] ?? 0, first + i);
      jobs.set(write.job.keyHex, { first, write });
    }
    return (keyHex, eventKey) => {
      const found = jobs.get(keyHex);
      const i = found?.write.events.findIndex((e) => e.eventKey === eventKey) ?? -1;
      return found === undefined || i < 0 ? null : { shard: found.write.job.shard, number: found.first + i };
    };
  }

  /** Numbered rows, ready to be sent. */
  get bytes(): Buffer {
    return this.buffer.subarray(0, this.end);
  }

  /** Answers where the row's number goes. */
  private add({ job }: JobWrite, { event, data, contentHash, eventKey, goesOut }: NewEvent): number {
    const record = encodeEvent(event, data);
    const { source, id } = record;
    this.makeRoom(ROW_BYTES + (contentHash?.length ?? 0) + 3 * (source.length + id.length + record.data.length));
    this.end = this.buffer.writeInt16BE(COLUMNS, this.end);
    this.int4(job.period);
    this.int2(job.shard);
    const number = this.end + 4;
    this.int8(0);
    this.key(job.keyHex);
    this.key(eventKey);
    this.bytea(contentHash);
    this.int2(record.type);
    if (record.n === null) this.lengthOf(-1);
    else this.int4(record.n);
    this.int2(this.lane);
    this.int8(record.laneMs);
    this.lengthOf(1);
    this.end = this.buffer.writeUInt8(goesOut ? 1 : 0, this.end);
    this.text(source);
    this.text(id);
    this.text(record.data);
    return number;
  }

  private lengthOf(bytes: number): void {
    this.end = this.buffer.writeInt32BE(bytes, this.end);
  }

  private int2(value: number): void {
    this.lengthOf(2);
    this.end = this.buffer.writeInt16BE(value, this.end);
  }

  private int4(value: number): void {
    this.lengthOf(4);
    this.end = this.buffer.writeInt32BE(value, this.end);
  }

  private int8(value: number): void {
    this.lengthOf(8);
    writeInt8(this.buffer, this.end, value);
    this.end += 8;
  }

  private key(hex: string): void {
    this.lengthOf(16);
    this.end += this.buffer.write(hex, this.end, 16, 'hex');
  }

  private bytea(value: Uint8Array | null): void {
    this.lengthOf(value?.length ?? -1);
    if (value === null) return;
    this.buffer.set(value, this.end);
    this.end += value.length;
  }

  private text(value: string): void {
    const length = this.buffer.write(value, this.end + 4, 'utf8');
    this.lengthOf(length);
    this.end += length;
  }

  private makeRoom(bytes: number): void {
    this.buffer = withRoom(this.buffer, this.end, bytes);
  }
}
