import { encodeEvent, type JobWrite, type Lane, type NewEvent, type PositionLookup } from '#libs/application';
import { setInt8, viewOf } from './binary-arrays.js';
import { CopyBuffer } from './copy-buffer.js';

/** The log's rows go in by COPY, which takes half the server's time of an INSERT of as many. */
export const COPY_EVENTS = `
COPY jobwarden.events (period, shard, number, job_key, event_key, content_hash, type, n, lane, lane_ms, goes_out,
                       source, id, data) FROM STDIN (FORMAT binary)`;
const COLUMNS = 14;

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
  private readonly rows = new CopyBuffer();
  private readonly placed: Placed[];
  /** Numbered rows, ready to be sent. */
  readonly bytes: Buffer;

  constructor(
    writes: readonly JobWrite[],
    private readonly lane: Lane,
  ) {
    this.placed = writes.map((write) => ({ write, at: write.events.map((event) => this.add(write, event)) }));
    this.bytes = this.rows.finished();
  }

  /** Gives each row the next number of its shard; `last` are those used so far. Answers where each event now lies. */
  number(last: ReadonlyMap<number, number>): PositionLookup {
    const view = viewOf(this.bytes);
    const next = new Map(last);
    const jobs = new Map<string, { readonly first: number; readonly write: JobWrite }>();
    for (const { write, at } of this.placed) {
      const first = (next.get(write.job.shard) ?? 0) + 1;
      next.set(write.job.shard, first + at.length - 1);
      for (let i = 0; i < at.length; i += 1) setInt8(view, at[i] ?? 0, first + i);
      jobs.set(write.job.keyHex, { first, write });
    }
    return (keyHex, eventKey) => {
      const found = jobs.get(keyHex);
      const i = found?.write.events.findIndex((e) => e.eventKey === eventKey) ?? -1;
      return found === undefined || i < 0 ? null : { shard: found.write.job.shard, number: found.first + i };
    };
  }

  /** Answers where the row's number goes. */
  private add({ job }: JobWrite, { event, data, redacted, contentHash, eventKey, goesOut }: NewEvent): number {
    const { rows } = this;
    const { source, id, data: text, type, n, laneMs } = encodeEvent(event, data, redacted);
    rows.row(COLUMNS, ROW_BYTES + (contentHash?.length ?? 0) + 3 * (source.length + id.length + text.length));
    rows.int4(job.period);
    rows.int2(job.shard);
    const number = rows.int8(0);
    rows.key(job.keyHex);
    rows.key(eventKey);
    rows.bytea(contentHash);
    rows.int2(type);
    rows.int4(n);
    rows.int2(this.lane);
    rows.int8(laneMs);
    rows.boolean(goesOut);
    rows.text(source);
    rows.text(id);
    rows.text(text);
    return number;
  }
}
