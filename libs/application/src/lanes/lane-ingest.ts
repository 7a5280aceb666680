import { readKafkaRecord, type IngestResult, type ParseContext } from '#libs/contracts';
import type { FactItem } from '../ingest/fact-item.js';
import { stayingAt, type FactWriter } from '../ingest/fact-writer.js';
import { Ingest, type IngestParts } from '../ingest/ingest.js';
import { RetryableError } from '../ports/errors.js';
import type { FeedBatch, FeedPartition, FeedReceiver, FeedRecord, PartitionAnswers } from '../ports/event-feed.port.js';
import type { LaneMove, LaneStore, StoredLane } from '../ports/lane-store.port.js';
import { LaneCursor } from './lane-cursor.js';
import { canBeMadeAnew, madeAnew, outOfRange } from './out-of-range.js';

export interface LaneIngestParts extends Omit<IngestParts, 'facts' | 'context'> {
  readonly writer: Pick<FactWriter, 'appendMoving'>;
  readonly lanes: LaneStore;
  /** Of the transport `kafka`. */
  readonly context: () => ParseContext;
  readonly observer: LaneObserver;
}

export interface LaneObserver {
  /** What became of the events of a batch; ticks are none. `lagMs`: since each was appended by the broker. */
  readonly stored: (batch: FeedBatch, results: readonly IngestResult[]) => void;
  /** A lane is about to be stopped: an incident. It is stopped once this has resolved. */
  readonly stopped: (lane: StoredLane, why: string, found: FeedPartition) => void | Promise<void>;
  /** These are read: what was wrong with one of them is over. */
  readonly reading?: (lanes: readonly StoredLane[]) => void | Promise<void>;
}

export interface LaneIngestOptions {
  /** With a manual clock the broker's append times count for nothing. */
  readonly clockMode: 'real' | 'manual';
  /** Records in one transaction. Default 2,000. */
  readonly batchRecords?: number;
}

/**
 * The way in from a broker: one lane per partition.
 *
 *   assigned ── position of the database ──► reading ── out of range ──► stopped, until an operator says where to go on
 *   reading:  records → facts, lane moved by compare-and-set (one transaction)
 *                     → heartbeats, quarantine, queue states first, where there are any, and the move last
 *
 * The lane moves when everything before it is stored. Facts alone, the common case, take it along in their own
 * transaction. Where a batch brings more, that transaction only checks that the lane is still this reader's; the rest is
 * stored in ways that may be repeated, and then the lane moves. A kill in between leaves the lane where it was: the same
 * batch comes again, and finds its events by their ids.
 *
 * Clocks: the broker's append time, for facts, heartbeats and how far the lane has been read. Not guaranteed: that a
 * reader which lost its partition stores no heartbeat any more; a heartbeat is a maximum and does no harm.
 */
export class LaneIngest implements FeedReceiver {
  private readonly cursors = new Map<string, LaneCursor>();
  private readonly batchRecords: number;

  constructor(
    private readonly parts: LaneIngestParts,
    private readonly options: LaneIngestOptions,
  ) {
    this.batchRecords = options.batchRecords ?? 2_000;
  }

  async known(partitions: readonly FeedPartition[]): Promise<void> {
    await this.open(partitions);
  }

  /**
   * Without `broker` a topic that was made anew is found only while it is shorter than the old one, and `partitions` have to
   * be as they are now.
   */
  async assigned(partitions: readonly FeedPartition[], broker: PartitionAnswers | null = null): Promise<readonly (number | null)[]> {
    const lanes = await this.open(partitions);
    const nexts: (number | null)[] = [];
    for (const [i, partition] of partitions.entries()) nexts.push(await this.begin(partition, lanes[i], broker));
    await this.parts.observer.reading?.(lanes.filter((_, i) => nexts[i] !== null));
    return nexts;
  }

  revoked(names: readonly string[]): void {
    for (const name of names) this.cursors.delete(name);
  }

  async batch(batch: FeedBatch): Promise<void> {
    for (let at = 0; at < batch.records.length || at === 0; at += this.batchRecords) {
      const records = batch.records.slice(at, at + this.batchRecords);
      const rest = batch.records[at + this.batchRecords];
      const cursor = this.cursors.get(batch.name);
      if (cursor === undefined || cursor.lost) throw lost(batch.name);
      await cursor.alone(() => this.part(cursor, { ...batch, records, next: rest?.offset ?? batch.next }));
    }
  }

  /**
   * Stores what ticks have moved since: call it some times a second, and at the end. Not of lanes whose batch is under
   * way: it brings its own move, and one that is held up must not hold up the others.
   */
  async flush(): Promise<void> {
    const ahead = [...this.cursors.values()].filter((cursor) => cursor.ahead && !cursor.lost && !cursor.busy);
    if (ahead.length === 0) return;
    await together(ahead, async () => {
      const moves = ahead.filter((cursor) => cursor.ahead).map((cursor) => [cursor, cursor.moveTo(cursor.next, [])] as const);
      const refused = new Set(await this.parts.lanes.advance(moves.map(([, move]) => move)));
      for (const [cursor, move] of moves) {
        if (refused.has(move.lane)) cursor.lost = true;
        else cursor.moved(move);
      }
    });
  }

  private async open(partitions: readonly FeedPartition[]): Promise<readonly StoredLane[]> {
    return await this.parts.lanes.open(partitions.map(({ name, low, origin }) => ({ name, start: low, origin })));
  }

  private async begin(partition: FeedPartition, lane: StoredLane | undefined, broker: PartitionAnswers | null): Promise<number | null> {
    this.cursors.delete(partition.name);
    if (lane === undefined || lane.stopped !== null) return null;
    return (await this.amiss(lane, partition, broker)) === null ? this.readFrom(lane) : await this.doubted(partition, broker);
  }

  /**
   * What was handed over may be older than the lane: a reader that was halted in between would compare an end of then with
   * a position that somebody else has moved past it since. So the log is asked first here, and then the broker.
   */
  private async doubted(given: FeedPartition, broker: PartitionAnswers | null): Promise<number | null> {
    const [lane] = await this.open([given]);
    if (lane === undefined || lane.stopped !== null) return null;
    const partition = (await broker?.now(given.name)) ?? given;
    const why = await this.amiss(lane, partition, broker);
    if (why === null) return this.readFrom(lane);
    // Told first: killed in between, the next reader finds it out of range again. Stopped first, nobody might hear of it.
    await this.parts.observer.stopped(lane, why, partition);
    return (await this.parts.lanes.stop(lane, why)) ? null : await this.doubted(given, broker);
  }

  private readFrom(lane: StoredLane): number {
    this.cursors.set(lane.name, new LaneCursor(lane));
    return lane.next;
  }

  /** Why a lane cannot go on in what the broker has. A manual clock's times are not the broker's. */
  private async amiss(lane: StoredLane, partition: FeedPartition, broker: PartitionAnswers | null): Promise<string | null> {
    const why = outOfRange(lane, partition);
    if (why !== null || broker === null || this.options.clockMode === 'manual' || !canBeMadeAnew(lane, partition)) return why;
    return madeAnew(lane, partition, await broker.firstAfter(lane.name, lane.readMs));
  }

  /** What lies below the lane's position has been stored before. */
  private async part(cursor: LaneCursor, batch: FeedBatch): Promise<void> {
    const records = batch.records.filter((record) => record.offset >= cursor.next);
    if (batch.next <= cursor.next) return;
    const unsure = records.findLast((record) => record.offset <= (batch.unsureUpTo ?? -1));
    const move = cursor.moveTo(batch.next, records.map((record) => record.timeMs), unsure?.timeMs);
    const events = records.filter((record) => !record.tick);
    if (events.length === 0) {
      cursor.passed(move);
      return;
    }
    try {
      this.parts.observer.stored(batch, await this.store(move, { ...batch, records: events }));
    } catch (error) {
      if (error instanceof RetryableError && error.code === 'lane_lost') cursor.lost = true;
      throw error;
    }
    cursor.moved(move);
  }

  private async store(move: LaneMove, batch: FeedBatch): Promise<readonly IngestResult[]> {
    const { records, topic, partition } = batch;
    const context = this.parts.context();
    const read = records.map((record) => readKafkaRecord(record, context));
    const onlyFacts = read.every(({ parsed }) => parsed.ok && parsed.kind === 'fact');
    const lane = { moved: false };
    // Without a fact nothing else would ask whose the lane is before the rest is kept. Heartbeats do no harm.
    const onlyBeats = read.every(({ parsed }) => parsed.ok && (parsed.kind === 'heartbeat' || parsed.kind === 'worker-heartbeat'));
    const submit = async (items: readonly FactItem[]) => {
      if (items.length === 0) {
        if (!onlyBeats) await this.advance(batch.name, stayingAt(move));
        return [];
      }
      const facts = await this.parts.writer.appendMoving(items, onlyFacts ? move : stayingAt(move));
      lane.moved = facts.moved;
      return facts.outcomes;
    };
    const results = await new Ingest({ ...this.parts, facts: { submit } }).take(
      read.map(({ input }) => input),
      read.map(({ parsed }) => parsed),
      {
        lane: move.lane,
        origin: (index) => `${topic}/${String(partition)}@${String(records[index]?.offset)}`,
        timesMs: records.map((record) => this.timeOf(record)),
        namespaces: null,
        texts: read.map(({ text }) => text),
      },
    );
    if (!lane.moved) await this.advance(batch.name, move);
    return results;
  }

  private async advance(name: string, move: LaneMove): Promise<void> {
    if ((await this.parts.lanes.advance([move])).length > 0) throw lost(name);
  }

  private timeOf({ timeMs }: FeedRecord): number | null {
    return this.options.clockMode === 'manual' ? null : timeMs;
  }
}

function lost(name: string): RetryableError {
  return new RetryableError('lane_lost', `${name} is read by somebody else, or was stopped`);
}

/** Holds all of the cursors while `work` runs. */
async function together(cursors: readonly LaneCursor[], work: () => Promise<void>): Promise<void> {
  const [first, ...rest] = cursors;
  if (first === undefined) await work();
  else await first.alone(() => together(rest, work));
}
