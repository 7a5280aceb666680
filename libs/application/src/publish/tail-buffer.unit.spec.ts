import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamRow } from '../ports/stream-store.port.js';
import { TailBuffer } from './tail-buffer.js';

const SHARDS = 3;

function row(shard: number, place: number): StreamRow {
  return { shard, place, kind: 'enqueue', namespace: 'n', queue: 'q', message: 'four' };
}

/** What there is, by shard, and a database that reads it. */
class Log {
  readonly sent = Array.from({ length: SHARDS }, () => 0);

  append(shard: number): void {
    this.sent[shard] = (this.sent[shard] ?? 0) + 1;
  }

  read(after: readonly number[]) {
    const rows = this.sent.flatMap((last, shard) => {
      const from = after[shard] ?? 0;
      return Array.from({ length: last - from }, (_, i) => row(shard, from + i + 1));
    });
    return { rows, upTo: [...this.sent], pruned: [0, 0, 0], actionsEnabled: true };
  }
}

type Step = { readonly do: 'append'; readonly shard: number } | { readonly do: 'fill' | 'read' | 'read-database' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('append' as const), shard: fc.nat(SHARDS - 1) }),
  fc.record({ do: fc.constantFrom('fill' as const, 'read' as const, 'read-database' as const) }),
);

describe("the buffer of a stream's newest messages", () => {
  it('gives a reader that also reads the database each message once, in the order of its shard', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60, size: 'max' }),
        fc.integer({ min: 4, max: 24 }),
        (steps, keepBytes) => {
          const log = new Log();
          const buffer = new TailBuffer([0, 0, 0], keepBytes);
          const reader = new TestReader(buffer, log);
          for (const s of steps) {
            if (s.do === 'append') log.append(s.shard);
            else if (s.do === 'fill') buffer.take(log.read(buffer.readUpTo));
            else if (s.do === 'read') reader.read();
            else reader.readDatabase();
          }
          reader.readDatabase();
          for (const [shard, last] of log.sent.entries()) {
            const wanted = Array.from({ length: last }, (_, i) => i + 1);
            expect(reader.got.filter((r) => r.shard === shard).map((r) => r.place)).toEqual(wanted);
          }
        },
      ),
    );
  });

  it('sends whoever is further back than what it keeps to the database', () => {
    const log = new Log();
    const buffer = new TailBuffer([0, 0, 0], 8);
    for (let i = 0; i < 3; i += 1) log.append(0);
    expect(buffer.take(log.read(buffer.readUpTo))).toBe(true);
    expect(buffer.after([0, 0, 0], null)).toBeNull();
    expect(buffer.after([1, 0, 0], null)?.rows.map((r) => r.place)).toEqual([2, 3]);
    expect(buffer.take(log.read(buffer.readUpTo))).toBe(false);
    expect(buffer.take({ ...log.read(buffer.readUpTo), actionsEnabled: false })).toBe(true);
  });
});

class TestReader {
  readonly got: StreamRow[] = [];
  private places: number[] = [0, 0, 0];
  private cursor: number | null = null;

  constructor(
    private readonly buffer: TailBuffer,
    private readonly log: Log,
  ) {}

  read(): void {
    const found = this.buffer.after(this.places, this.cursor);
    if (found === null) {
      this.readDatabase();
      return;
    }
    this.cursor = found.cursor;
    this.take(found.rows);
  }

  /** Keeps its cursor, which a real reader need not do: the buffer must not rely on it. */
  readDatabase(): void {
    this.take(this.log.read(this.places).rows);
  }

  private take(rows: readonly StreamRow[]): void {
    for (const r of rows) {
      this.got.push(r);
      this.places = this.places.with(r.shard, r.place);
    }
  }
}
