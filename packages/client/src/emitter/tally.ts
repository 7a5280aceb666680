import type { EventResult } from '../contract.js';
import type { Logger } from '../logger.js';
import type { Entry, Worth } from './buffer.js';

/** What has become of everything that was told. */
export interface EmitterStats {
  /** Not acknowledged yet. */
  readonly buffered: number;
  readonly bufferedBytes: number;
  /** Acknowledged, copies included. */
  readonly sent: number;
  /** Of those: `refused`, such as `superseded`. */
  readonly refused: number;
  /** Of those: kept in quarantine, since they could not be stored as sent. */
  readonly quarantined: number;
  /** Never sent for want of room, or told after `close`. */
  readonly dropped: {
    readonly beats: number;
    readonly starts: number;
    /** Jobs, and ends of attempts, of which Jobwarden had heard no start. */
    readonly unheard: number;
    readonly facts: number;
  };
  /** Given up: no JSON, or not acceptable even alone. */
  readonly rejected: number;
  /** Nobody answers at the moment. */
  readonly away: boolean;
}

/** Counts, and says once per stretch what goes wrong. */
export class Tally {
  private sent = 0;
  private refused = 0;
  private quarantined = 0;
  private rejected = 0;
  private readonly dropped: Record<Worth, number> = { beat: 0, start: 0, unheard: 0, fact: 0 };
  private awaySinceMs: number | null = null;
  private droppedBefore = 0;
  private full = false;
  private readonly told = new Set<string>();

  constructor(private readonly logger: Logger) {}

  get away(): boolean {
    return this.awaySinceMs !== null;
  }

  answered(results: readonly EventResult[] | null, count: number): void {
    this.sent += count;
    for (const { outcome, code = outcome, detail = '' } of results ?? []) {
      if (outcome === 'refused') this.refused += 1;
      if (outcome !== 'quarantined') continue;
      this.quarantined += 1;
      this.once(`an event is in quarantine: ${code}, ${detail}`, code);
    }
  }

  lost(entries: readonly Entry[]): void {
    for (const { worth } of entries) this.dropped[worth] += 1;
    if (entries.length === 0 || this.full) return;
    this.full = true;
    this.logger.warn('the buffer of events is full: heartbeats are dropped first, then starts, then jobs that Jobwarden has not seen begin, then the oldest facts');
  }

  gaveUp(what: string, reason: string): void {
    this.rejected += 1;
    this.once(`${what} is given up: ${reason}`, reason);
  }

  unreachable(reason: string, nowMs: number): void {
    if (this.awaySinceMs !== null) return;
    this.awaySinceMs = nowMs;
    this.droppedBefore = this.droppedInAll();
    this.logger.warn(`Jobwarden cannot be reached, events are kept and sent later: ${reason}`);
  }

  reached(nowMs: number): void {
    if (this.full) {
      this.full = false;
      const { beat, start, unheard, fact } = this.dropped;
      this.logger.warn(`dropped so far for want of room: ${String(beat)} heartbeats, ${String(start)} starts, ${String(unheard)} facts of unseen starts, ${String(fact)} others`);
    }
    if (this.awaySinceMs === null) return;
    const seconds = Math.round((nowMs - this.awaySinceMs) / 1_000);
    this.awaySinceMs = null;
    const dropped = this.droppedInAll() - this.droppedBefore;
    this.logger.info(`Jobwarden answers again after ${String(seconds)} s; ${dropped === 0 ? 'nothing' : `${String(dropped)} events`} had to be dropped`);
  }

  stats(buffered: number, bufferedBytes: number): EmitterStats {
    const { sent, refused, quarantined, rejected, away } = this;
    const { beat: beats, start: starts, unheard, fact: facts } = this.dropped;
    return { buffered, bufferedBytes, sent, refused, quarantined, rejected, away, dropped: { beats, starts, unheard, facts } };
  }

  private droppedInAll(): number {
    return Object.values(this.dropped).reduce((sum, count) => sum + count, 0);
  }

  private once(message: string, about: string): void {
    if (this.told.has(about) || this.told.size > 100) return;
    this.told.add(about);
    this.logger.warn(message);
  }
}
