import { DEAD_LETTER_TYPE, ENQUEUE_COMMAND_TYPE, INVALIDATION_TYPE, STOP_COMMAND_TYPE } from '#libs/contracts';
import type { MessageKind } from '../ports/outbound-store.port.js';
import type { PublishObserver } from '../ports/publish-observer.port.js';
import {
  STREAM_KINDS,
  type StreamHeads,
  type StreamKind,
  type StreamRow,
  type StreamStore,
} from '../ports/stream-store.port.js';
import { addressees } from './fallback-queue.js';
import { decodeVector, encodeVector, type PositionVector } from './position-vector.js';
import { StreamTail, type TailOptions } from './stream-tail.js';
import type { TailBuffer } from './tail-buffer.js';
import type { WakeSignal } from './wake-signal.js';

export interface StreamOptions extends TailOptions {
  /** `off` (JOBWARDEN_ACTIONS): this replica lets no commands out. Default `on`. */
  readonly actions?: 'on' | 'off';
  /** A sign of life when there is nothing else, ms. Default 15,000. */
  readonly heartbeatMs?: number;
}

export interface Subscription {
  readonly kind: StreamKind;
  readonly namespace: string;
  /** Also what is of the whole installation, where no queue is named. Default false. */
  readonly installation?: boolean;
  /** null = of every queue. */
  readonly queue: string | null;
  /** `Last-Event-ID`; `start` = everything that is kept; null = from now on. */
  readonly from: string | null;
}

export type StreamItem =
  | {
      /** Send it back as `Last-Event-ID` to go on behind this event. */
      readonly id: string;
      /** Type of the CloudEvent, or `reset`. */
      readonly event: string;
      /** One line of JSON. */
      readonly data: string;
    }
  | {
      /**
       * Nothing new; also the first item of all, once the stream stands. The id may be sent back like an event's: a
       * quiet queue's reader then need not go far back.
       */
      readonly heartbeat: string;
    };

/** Why a reader may have missed something. */
export type ResetReason = 'ahead_of_log' | 'below_retention' | 'restored';

/**
 * What has gone out, as live streams of events.
 *
 * A stream goes on behind the id it is given, through reconnects and on any replica, without a loss or a repeat. Where
 * that is not possible it says `reset` first: the reader must take it that it missed something (a cache drops all it
 * holds). It then goes on from the oldest message kept (`below_retention`), or from now on (`ahead_of_log`, `restored`).
 *
 * Per job the order is that of the log; across jobs there is none. While the stop switch is off, commands are held
 * back, also those that had been sent before to nobody; invalidations go on: they only ask to read again. So do
 * incidents: they are no actions, and whoever has stopped everything wants to hear of them most.
 */
export class Streams {
  private readonly tails: ReadonlyMap<StreamKind, StreamTail>;
  private readonly heartbeatMs: number;
  private readonly actions: 'on' | 'off';

  constructor(
    private readonly store: StreamStore,
    published: WakeSignal,
    observer: PublishObserver,
    options: StreamOptions = {},
  ) {
    this.tails = new Map(STREAM_KINDS.map((kind) => [kind, new StreamTail(kind, store, published, observer, options)]));
    this.heartbeatMs = options.heartbeatMs ?? 15_000;
    this.actions = options.actions ?? 'on';
  }

  /**
   * Ends when `signal` is aborted. Throws TerminalError `stream_id_invalid` at the first step for an id that is none,
   * and RetryableError when the database goes away while it catches up: the client reconnects with its last id.
   */
  async *subscribe(subscription: Subscription, signal: AbortSignal): AsyncGenerator<StreamItem, void, void> {
    const asked = askedFor(subscription.from);
    const tail = this.tailOf(subscription.kind);
    const { buffer, release } = await tail.use();
    try {
      const heads = await this.store.heads();
      const { start, reset } = startOf(asked, heads);
      const reader = new Reader(subscription, buffer, this.store, { epoch: heads.epoch, places: start });
      // An id at once: whoever loses the connection before the first event can go on from here all the same.
      yield reset === null ? { heartbeat: reader.id } : reader.reset(reset);
      while (!signal.aborted) {
        const seen = tail.version;
        const open = subscription.kind !== 'commands' || (this.actions === 'on' && buffer.actionsEnabled);
        const items = open ? await reader.next() : [];
        yield* items;
        if (items.length > 0 || (open && reader.behind)) continue;
        if (!(await tail.changed(seen, this.heartbeatMs, signal)) && !isOver(signal)) yield { heartbeat: reader.id };
      }
    } finally {
      release();
    }
  }

  private tailOf(kind: StreamKind): StreamTail {
    const tail = this.tails.get(kind);
    if (tail === undefined) throw new Error(`no such stream: ${kind}`);
    return tail;
  }
}

/** A call, so that the compiler does not take the loop's condition for still true after a wait. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

function askedFor(from: string | null): PositionVector | 'start' | null {
  return from === null || from === 'start' ? from : decodeVector(from);
}

function startOf(
  asked: PositionVector | 'start' | null,
  { epoch, sent, pruned }: StreamHeads,
): { readonly start: readonly number[]; readonly reset: ResetReason | null } {
  if (asked === null) return { start: sent, reset: null };
  if (asked === 'start') return { start: pruned, reset: null };
  const { places } = asked;
  if (asked.epoch !== epoch) return { start: sent, reset: 'restored' };
  if (places.length !== sent.length || places.some((place, shard) => place > (sent[shard] ?? 0))) {
    return { start: sent, reset: 'ahead_of_log' };
  }
  if (places.some((place, shard) => place < (pruned[shard] ?? 0)))
    return { start: raised(places, pruned), reset: 'below_retention' };
  return { start: places, reset: null };
}

function raised(places: readonly number[], least: readonly number[]): number[] {
  return places.map((place, shard) => Math.max(place, least[shard] ?? 0));
}

/** One subscriber's place in the stream. */
class Reader {
  /** Not at the end of what there is: ask again without waiting. */
  behind = false;
  private places: number[];
  private readonly epoch: number;
  private cursor: number | null = null;

  constructor(
    private readonly wanted: Subscription,
    private readonly buffer: TailBuffer,
    private readonly store: StreamStore,
    start: PositionVector,
  ) {
    this.epoch = start.epoch;
    this.places = [...start.places];
  }

  get id(): string {
    return encodeVector({ epoch: this.epoch, places: this.places });
  }

  reset(reason: ResetReason): StreamItem {
    return { id: this.id, event: 'reset', data: JSON.stringify({ reason }) };
  }

  async next(): Promise<StreamItem[]> {
    const live = this.buffer.after(this.places, this.cursor);
    this.behind = live === null;
    if (live === null) return await this.catchUp();
    this.cursor = live.cursor;
    const items = this.items(live.rows);
    this.places = raised(this.places, this.buffer.readUpTo);
    return items;
  }

  private async catchUp(): Promise<StreamItem[]> {
    this.cursor = null;
    const page = await this.store.read(this.wanted.kind, this.places);
    const lost = page.pruned.some((least, shard) => (this.places[shard] ?? 0) < least);
    if (lost) this.places = raised(this.places, page.pruned);
    const items = [...(lost ? [this.reset('below_retention')] : []), ...this.items(page.rows)];
    this.places = raised(this.places, page.upTo);
    return items;
  }

  private items(rows: readonly StreamRow[]): StreamItem[] {
    const items: StreamItem[] = [];
    for (const row of rows) {
      this.places[row.shard] = Math.max(row.place, this.places[row.shard] ?? 0);
      if (this.wants(row)) items.push({ id: this.id, event: eventTypeOf(row), data: row.message });
    }
    return items;
  }

  private wants({ kind, namespace, queue, deliverTo }: StreamRow): boolean {
    if (namespace === null) return this.wanted.installation === true && this.wanted.queue === null;
    return namespace === this.wanted.namespace && (this.wanted.queue === null || (queue !== null && addressees(kind, queue, deliverTo ?? null).includes(this.wanted.queue)));
  }
}

function eventTypeOf({ kind, message }: StreamRow): string {
  // Only incidents have several types; they are few.
  return kind === 'incident' ? (JSON.parse(message) as { readonly type: string }).type : EVENT_TYPE[kind];
}

const EVENT_TYPE: Readonly<Record<Exclude<MessageKind, 'incident'>, string>> = {
  enqueue: ENQUEUE_COMMAND_TYPE,
  stop: STOP_COMMAND_TYPE,
  invalidation: INVALIDATION_TYPE,
  'dead-letter': DEAD_LETTER_TYPE,
};
