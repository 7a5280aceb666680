import { stackHashOf, type DeadLetterIndex, type SortedLetter, type UnsortedLetter } from '#libs/application';
import { hexes, ints, texts } from '../arrays.js';
import type { Database, Queryable } from '../database.js';
import { grouped, type Group } from './groups.js';
import * as sql from './statements.js';

interface UnsortedRow {
  readonly shard: number;
  readonly number: number;
  readonly seen: number;
  readonly period: number;
  readonly key: string;
  readonly queue_id: number;
  readonly namespace: string;
  readonly queue: string;
  readonly kind: string | null;
  readonly lane_ms: number;
  readonly data: string;
}

const NO_STACKS: ReadonlyMap<string, string> = new Map();

export class PgDeadLetterIndex implements DeadLetterIndex {
  private made = false;

  constructor(private readonly database: Database) {}

  async unsorted(perShard: number): Promise<readonly UnsortedLetter[]> {
    if (!this.made) await this.database.query(sql.MAKE_READERS);
    this.made = true;
    const rows = await this.database.prepared<UnsortedRow>('unsorted_dead_letters', sql.UNSORTED, [perShard]);
    const stacks = await this.stacksOf(rows);
    return rows.map(({ key, queue_id: queueId, lane_ms: atMs, ...row }) => ({ ...row, keyHex: key, queueId, atMs, stacks: stacks.get(key) ?? NO_STACKS }));
  }

  async sort(letters: readonly SortedLetter[]): Promise<number> {
    return await this.database.transaction(async (tx) => {
      const mine = await this.take(tx, letters);
      if (mine.length === 0) return 0;
      const groups = grouped(await this.withinBounds(tx, mine));
      const ids = await this.patterns(tx, groups);
      await this.hours(tx, groups, ids);
      await this.insert(tx, groups, ids);
      return mine.length;
    });
  }

  private async stacksOf(rows: readonly UnsortedRow[]): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    const wanted = rows.flatMap(({ key, period, data }) => {
      const hash = stackHashOf(data);
      return hash === null ? [] : [{ key, period, hash }];
    });
    if (wanted.length === 0) return new Map();
    const found = await this.database.query<{ key: string; hash: string; bytes: Buffer }>(sql.STACKS, [
      hexes(wanted.map((w) => w.key)),
      hexes(wanted.map((w) => w.hash)),
      ints(wanted.map((w) => w.period)),
    ]);
    const stacks = new Map<string, Map<string, string>>();
    for (const { key, hash, bytes } of found) {
      const ofJob = stacks.get(key) ?? new Map<string, string>();
      stacks.set(key, ofJob.set(hash, bytes.toString('utf8')));
    }
    return stacks;
  }

  /** Those of the shards that nobody has sorted any further meanwhile. */
  private async take(tx: Queryable, letters: readonly SortedLetter[]): Promise<readonly SortedLetter[]> {
    const moves = new Map<number, { seen: number; next: number }>();
    for (const { shard, seen, number } of letters) moves.set(shard, { seen, next: Math.max(number, moves.get(shard)?.next ?? 0) });
    const sorted = [...moves].sort(([a], [b]) => a - b);
    const rows = await tx.query<{ shard: number }>(sql.MOVE_READERS, [
      ints(sorted.map(([shard]) => shard)),
      ints(sorted.map(([, { seen }]) => seen)),
      ints(sorted.map(([, { next }]) => next)),
    ]);
    const moved = new Set(rows.map(({ shard }) => shard));
    return letters.filter(({ shard }) => moved.has(shard));
  }

  /** What would make a queue's patterns too many goes under its `other`. */
  private async withinBounds(tx: Queryable, letters: readonly SortedLetter[]): Promise<readonly SortedLetter[]> {
    const asked = [...new Map(letters.map((letter) => [letter.fingerprint, letter])).values()];
    const rows = await tx.query<{ fingerprint: string; known: boolean; of_queue: number }>(sql.KNOWN, [
      hexes(asked.map(({ fingerprint }) => fingerprint)),
      ints(asked.map(({ queueId }) => queueId)),
    ]);
    const queueOf = new Map(asked.map(({ fingerprint, queueId }) => [fingerprint, queueId]));
    const fresh = new Map<number, number>();
    const tooMany = new Set<string>();
    for (const { fingerprint, known, of_queue: ofQueue } of rows) {
      if (known) continue;
      const queueId = queueOf.get(fingerprint) ?? 0;
      const count = (fresh.get(queueId) ?? ofQueue) + 1;
      if (count > sql.PATTERNS_PER_QUEUE) tooMany.add(fingerprint);
      else fresh.set(queueId, count);
    }
    if (tooMany.size === 0) return letters;
    return letters.map((letter) => (tooMany.has(letter.fingerprint) ? { ...letter, ...letter.overflow } : letter));
  }

  private async patterns(tx: Queryable, groups: readonly Group[]): Promise<ReadonlyMap<string, number>> {
    const column = <T>(of: (group: Group) => T) => groups.map(of);
    const rows = await tx.query<{ pattern_id: number; fingerprint: string }>(sql.UPSERT_PATTERNS, [
      hexes(column((g) => g.fingerprint)),
      ints(column((g) => g.first.queueId)),
      texts(column((g) => g.first.kind)),
      texts(column((g) => g.first.pattern.reason)),
      texts(column((g) => g.first.pattern.class)),
      texts(column((g) => g.first.pattern.message)),
      texts(column((g) => JSON.stringify(g.first.pattern.frames))),
      ints(column((g) => Math.min(...g.letters.map((l) => l.atMs)))),
      ints(column((g) => Math.max(...g.letters.map((l) => l.atMs)))),
      ints(column((g) => g.letters.length)),
    ]);
    return new Map(rows.map((row) => [row.fingerprint, row.pattern_id]));
  }

  private async hours(tx: Queryable, groups: readonly Group[], ids: ReadonlyMap<string, number>): Promise<void> {
    const rows = groups.flatMap(({ fingerprint, hours }) => [...hours].map(([hour, letters]) => ({ id: ids.get(fingerprint) ?? 0, hour, letters })));
    await tx.query(sql.UPSERT_HOURS, [ints(rows.map((r) => r.id)), ints(rows.map((r) => r.hour)), ints(rows.map((r) => r.letters))]);
  }

  private async insert(tx: Queryable, groups: readonly Group[], ids: ReadonlyMap<string, number>): Promise<void> {
    const rows = groups.flatMap(({ fingerprint, letters }) => letters.map((letter) => ({ ...letter, id: ids.get(fingerprint) ?? 0 })));
    await tx.query(sql.INSERT_LETTERS, [
      ints(rows.map((r) => r.shard)),
      ints(rows.map((r) => r.number)),
      ints(rows.map((r) => r.period)),
      ints(rows.map((r) => r.id)),
      hexes(rows.map((r) => r.keyHex)),
      ints(rows.map((r) => r.attempt)),
      ints(rows.map((r) => r.atMs)),
      texts(rows.map((r) => r.worker)),
      texts(rows.map((r) => r.revision)),
    ]);
  }
}
