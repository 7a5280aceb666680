import { RetryableError, type Failpoint, type FeedBatch, type FeedReceiver } from '#libs/application';
import { Backoff } from './backoff.js';
import type { FeedObserver } from './feed-options.js';

/** What the consumer does for one partition. Without effect once the consumer is gone. */
export interface PartitionControl {
  /** Nothing more of it is fetched. What was fetched already may still come. */
  pause(): void;
  /** It is fetched from `offset` on. */
  resumeAt(offset: number): void;
  /** The offset to show as read. */
  show(offset: number): void;
}

/** What all readers of one feed have in common. */
export interface ReaderParts {
  readonly receiver: FeedReceiver;
  readonly observer: FeedObserver;
  readonly failpoint: Failpoint;
  /** Wants to be told where to go on, by {@link PartitionReader.positioned}. */
  readonly ask: (reader: PartitionReader) => void;
  /** Batches under way, by lane: one at a time, also when the partition has been given away and come back meanwhile. */
  readonly underWay: Map<string, Promise<void>>;
  readonly askEveryMs: number;
  readonly patienceMs: number;
  readonly heartbeatEveryMs: number;
}

/** One batch, as the consumer hands it over. */
export interface Arrival {
  /** What the fetch asked for. */
  readonly from: number;
  readonly batch: FeedBatch;
  readonly heartbeat: () => Promise<void>;
  /** The next fetch goes on after this batch. */
  readonly resolve: () => void;
}

type State = 'asking' | 'reading' | 'working' | 'waiting' | 'stopped' | 'gone';

/**
 * One partition, for as long as this member of the group has it.
 *
 *   asking ──position──► reading ──batch──► working ──stored──► reading
 *     │ ▲                   │                  │
 *     │ │◄──elsewhere───────┘                  ├── the database is away ──► waiting ──backoff──► reading, at the same place
 *     │ │◄─────────────────────────lane lost───┤
 *     │ └──every few seconds── stopped         └── longer than our patience: goes on alone, the others are read meanwhile
 *     └──null──► stopped                any ──revoked──► gone
 *
 * Only while reading, and in a batch that is quick, is the partition open in the consumer; else it is paused there, and
 * fetches and signs of life go on for the others. A batch is never skipped: what fails comes again, from `position`.
 */
export class PartitionReader {
  private state: State = 'asking';
  private timer: NodeJS.Timeout | undefined;
  private readonly backoff = new Backoff();
  /** Not told twice, and `resumed` only after it. */
  private told = false;
  private hole: string | null = null;
  /** The offset wanted next. */
  position = -1;
  /** When records last came, or nothing was to come: performance.now(). */
  movedAt = performance.now();
  /** When a record last came that is no tick. */
  heardAt = 0;

  constructor(
    readonly name: string,
    readonly partition: number,
    private readonly control: PartitionControl,
    private readonly parts: ReaderParts,
  ) {}

  get gone(): boolean {
    return this.state === 'gone';
  }

  get asking(): boolean {
    return this.state === 'asking';
  }

  get reading(): boolean {
    return this.state === 'reading';
  }

  /** null: the lane is stopped. */
  positioned(next: number | null): void {
    if (this.state !== 'asking') return;
    if (next === null) {
      this.state = 'stopped';
      this.tellPaused('the lane is stopped: an operator has to say where to go on');
      this.later(this.parts.askEveryMs, () => this.ask());
      return;
    }
    this.open(next);
    this.tellResumed();
  }

  /** Asks where to go on: at once, or when the batch has ended that an earlier reader of the partition began. */
  ask(): void {
    if (this.gone) return;
    this.halt('asking');
    const before = this.parts.underWay.get(this.name);
    if (before === undefined) this.parts.ask(this);
    else void before.then(() => this.ask());
  }

  revoke(): void {
    clearTimeout(this.timer);
    this.state = 'gone';
  }

  /** The broker's own records only, or those of a transaction that was given up: nobody is shown them. */
  skipped(first: number | null, last: number): void {
    if (this.state !== 'reading' || last < this.position) return;
    if (first !== null && first > this.position) {
      // A hole, or a position that the consumer has changed. Once we have asked and come to the same place again, a hole.
      const hole = `${this.position}..${first}`;
      if (this.hole !== hole) {
        this.hole = hole;
        this.ask();
        return;
      }
    }
    this.position = last + 1;
    this.movedAt = performance.now();
  }

  /** Resolves when it is stored, or will go on without the consumer. Never rejects. */
  async take(arrival: Arrival): Promise<void> {
    if (this.state !== 'reading') return;
    if (arrival.from !== this.position) {
      this.ask();
      return;
    }
    this.state = 'working';
    const now = performance.now();
    this.movedAt = now;
    if (arrival.batch.records.some((record) => !record.tick)) this.heardAt = now;
    let alone = false;
    const work = this.store(arrival, () => alone);
    const entry = work.finally(() => {
      if (this.parts.underWay.get(this.name) === entry) this.parts.underWay.delete(this.name);
    });
    this.parts.underWay.set(this.name, entry);
    if (await this.within(entry, arrival.heartbeat)) return;
    // It may have ended in the same moment.
    if (this.now() !== 'working') return;
    alone = true;
    this.control.pause();
    this.tellPaused('a batch takes long');
  }

  private async store({ batch, resolve }: Arrival, alone: () => boolean): Promise<void> {
    const { receiver, failpoint, observer } = this.parts;
    try {
      await receiver.batch(batch);
      await failpoint('commit/offset');
    } catch (error) {
      if (this.gone) return;
      if (error instanceof RetryableError && error.code === 'lane_lost') this.lost();
      else {
        if (!(error instanceof RetryableError)) observer.failed('batch', error);
        this.wait(error);
      }
      return;
    }
    if (this.gone) return;
    this.backoff.reset();
    this.control.show(batch.next);
    if (alone()) this.open(batch.next);
    else {
      resolve();
      this.position = batch.next;
      this.state = 'reading';
      this.movedAt = performance.now();
    }
    this.tellResumed();
  }

  /** Somebody else moves the lane. Two that both take it for theirs ask less often each time. */
  private lost(): void {
    this.halt('asking');
    this.tellPaused('somebody else reads the lane too');
    this.later(this.backoff.next(), () => this.ask());
  }

  private wait(error: unknown): void {
    this.halt('waiting');
    this.tellPaused(error instanceof Error ? error.message : String(error));
    this.later(this.backoff.next(), () => this.open(this.position));
  }

  private open(at: number): void {
    this.position = at;
    this.state = 'reading';
    this.movedAt = performance.now();
    this.control.resumeAt(at);
  }

  private halt(state: 'asking' | 'waiting'): void {
    clearTimeout(this.timer);
    this.state = state;
    this.control.pause();
  }

  /** Read anew: it changes while one waits. */
  private now(): State {
    return this.state;
  }

  private later(ms: number, work: () => void): void {
    this.timer = setTimeout(work, ms);
  }

  private tellPaused(why: string): void {
    if (!this.told) this.parts.observer.paused(this.name, why);
    this.told = true;
  }

  private tellResumed(): void {
    if (this.told) this.parts.observer.resumed(this.name);
    this.told = false;
  }

  /** Whether `work` ended within our patience. Meanwhile the group hears of us. */
  private async within(work: Promise<void>, heartbeat: () => Promise<void>): Promise<boolean> {
    // When it fails the partition may be lost. The consumer finds out by itself as soon as it has its turn.
    const beat = setInterval(() => void heartbeat().catch(() => clearInterval(beat)), this.parts.heartbeatEveryMs);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.parts.patienceMs);
    });
    const ended = await Promise.race([work.then(() => true), late]);
    clearTimeout(timer);
    clearInterval(beat);
    return ended;
  }
}
