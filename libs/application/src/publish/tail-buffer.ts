import type { StreamPage, StreamRow } from '../ports/stream-store.port.js';

/** What the buffer has for a reader; `cursor` goes back with the next call. */
export interface BufferedRows {
  readonly rows: readonly StreamRow[];
  readonly cursor: number;
}

/** The newest messages of a stream, in the order in which they were read; older ones give way. */
export class TailBuffer {
  private rows: readonly StreamRow[] = [];
  private bytes = 0;
  /** Number, counted since the start, of `rows[0]`. */
  private first = 0;
  /** By shard: everything above it, up to `head`, is in `rows`. */
  private readonly floor: number[];
  private head: readonly number[];
  private enabled = false;

  constructor(
    start: readonly number[],
    private readonly keepBytes: number,
  ) {
    this.floor = [...start];
    this.head = start;
  }

  /** The stop switch, as last read. */
  get actionsEnabled(): boolean {
    return this.enabled;
  }

  /** By shard: how far it has been filled. Who has taken all rows up to the end has seen everything up to here. */
  get readUpTo(): readonly number[] {
    return this.head;
  }

  /**
   * Rows that these places have not passed; null where they are further back than what is kept. A cursor saves looking
   * at rows that were given before; a reader that has meanwhile read the database may get some that it knows.
   */
  after(places: readonly number[], cursor: number | null): BufferedRows | null {
    const end = this.first + this.rows.length;
    if (cursor !== null && cursor >= this.first) return { rows: this.unread(places, cursor - this.first), cursor: end };
    if (this.floor.some((floor, shard) => (places[shard] ?? 0) < floor)) return null;
    return { rows: this.unread(places, 0), cursor: end };
  }

  /** true: something changed for the readers. */
  take(page: StreamPage): boolean {
    const changed = page.rows.length > 0 || page.actionsEnabled !== this.enabled;
    this.enabled = page.actionsEnabled;
    this.head = page.upTo;
    this.rows = [...this.rows, ...page.rows];
    this.bytes += page.rows.reduce((sum, row) => sum + row.message.length, 0);
    this.forget();
    return changed;
  }

  private unread(places: readonly number[], from: number): readonly StreamRow[] {
    return this.rows.slice(from).filter((row) => row.place > (places[row.shard] ?? 0));
  }

  private forget(): void {
    let count = 0;
    for (const row of this.rows) {
      if (this.bytes <= this.keepBytes) break;
      this.bytes -= row.message.length;
      this.floor[row.shard] = row.place;
      count += 1;
    }
    if (count === 0) return;
    this.rows = this.rows.slice(count);
    this.first += count;
  }
}
