import { backoffMs } from '../backoff.js';
import type { EventResult } from '../contract.js';
import { UnreachableError } from '../errors.js';
import type { Logger } from '../logger.js';
import { Buffer, type Bounds, type Entry } from './buffer.js';
import { entryOf } from './entry.js';
import { keyOf, type EmitterIdentity, type Fact } from './fact.js';
import { Pause } from './pause.js';
import { Tally, type EmitterStats } from './tally.js';
import { RefusedBatchError, type Transport } from './transport.js';

export interface DeliveryParts {
  readonly transport: Transport;
  readonly identity: EmitterIdentity;
  readonly bounds: Bounds;
  readonly lingerMs: number;
  readonly logger: Logger;
  readonly onResult: (result: EventResult) => void;
}

/** The moving part of an {@link Emitter}: what was told on its way through the buffer. */
export class Delivery {
  private readonly buffer: Buffer;
  private readonly tally: Tally;
  private readonly pause = new Pause();
  private pumping = false;
  private lingering: NodeJS.Timeout | null = null;
  private failures = 0;
  private retryAfterMs = 0;
  private closed = false;
  private readonly watchers = new Set<() => void>();

  constructor(private readonly parts: DeliveryParts) {
    this.buffer = new Buffer(parts.bounds);
    this.tally = new Tally(parts.logger);
  }

  tell(fact: Fact): void {
    if (this.put(fact, null)) this.wakeSoon();
  }

  async ask(fact: Fact, wait: boolean, signal?: AbortSignal): Promise<EventResult | null> {
    let settle: (result: EventResult | null) => void = () => undefined;
    const answer = new Promise<EventResult | null>((resolve) => (settle = resolve));
    const giveUp = () => settle(null);
    if (!this.put(fact, settle)) return null;
    if (!this.tally.away) await this.sendNow(fact);
    if (!wait || signal?.aborted === true) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    this.wakeSoon();
    try {
      return await answer;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  async flush(withinMs: number): Promise<boolean> {
    const mark = this.buffer.mark();
    const arrived = () => !this.buffer.hasBefore(mark);
    this.pause.end();
    void this.pump();
    return await new Promise<boolean>((resolve) => {
      const look = (late: boolean) => {
        if (!arrived() && !late) return;
        clearTimeout(deadline);
        this.watchers.delete(watch);
        resolve(arrived());
      };
      const watch = () => look(false);
      const deadline = setTimeout(() => look(true), withinMs);
      this.watchers.add(watch);
      watch();
    });
  }

  wake(): void {
    if (this.tally.away && this.retryAfterMs === 0) this.pause.end();
  }

  async close(withinMs: number): Promise<boolean> {
    this.closed = true;
    const whole = await this.flush(withinMs);
    if (this.lingering !== null) clearTimeout(this.lingering);
    this.pause.close();
    return whole;
  }

  stats(): EmitterStats {
    return this.tally.stats(this.buffer.size, this.buffer.bytes);
  }

  private put(fact: Fact, settle: Entry['settle']): boolean {
    const entry = entryOf(fact, this.parts.identity, settle);
    if (typeof entry === 'string') this.tally.gaveUp(`a fact of the type ${fact.type}`, entry);
    else if (this.closed) this.tally.lost([entry]);
    else {
      this.tally.lost(this.buffer.add(entry));
      return true;
    }
    return false;
  }

  /** Everything of the fact's job. */
  private async sendNow(fact: Fact): Promise<void> {
    const key = keyOf(fact, this.parts.identity.namespace);
    for (let more = true; more; ) {
      const numbers = this.buffer.takeOf(key, this.parts.transport.limits);
      more = numbers.length > 0 && (await this.deliver(numbers));
    }
  }

  private wakeSoon(): void {
    if (this.pumping || this.lingering !== null) return;
    this.lingering = setTimeout(() => void this.pump(), this.parts.lingerMs);
  }

  private async pump(): Promise<void> {
    if (this.lingering !== null) clearTimeout(this.lingering);
    this.lingering = null;
    if (this.pumping) return;
    this.pumping = true;
    for (let numbers = this.next(); numbers.length > 0; numbers = this.next()) {
      if (await this.deliver(numbers)) continue;
      await this.pause.wait(Math.max(this.retryAfterMs, backoffMs(this.failures - 1)));
      if (this.pause.closed) break;
    }
    this.pumping = false;
  }

  private next(): readonly number[] {
    return this.buffer.take(this.parts.transport.limits);
  }

  /** false: nobody answered; they are in the buffer again. */
  private async deliver(numbers: readonly number[]): Promise<boolean> {
    const entries = numbers.flatMap((number) => this.buffer.at(number) ?? []);
    try {
      const results = await this.parts.transport.send(entries);
      if (results !== null && results.length !== entries.length) {
        throw new UnreachableError(`${String(entries.length)} events were answered with ${String(results.length)} results`);
      }
      this.arrived(numbers, entries, results);
      return true;
    } catch (error) {
      if (error instanceof RefusedBatchError) return await this.divide(numbers, error);
      this.tally.lost(this.buffer.failed(numbers));
      this.wentAway(error);
      return false;
    }
  }

  private arrived(numbers: readonly number[], entries: readonly Entry[], results: readonly EventResult[] | null): void {
    this.failures = 0;
    this.retryAfterMs = 0;
    this.buffer.done(numbers);
    this.tally.answered(results, entries.length);
    this.tally.reached(Date.now());
    entries.forEach((entry, i) => {
      const result = results?.[i] ?? null;
      entry.settle?.(result);
      if (result !== null) this.parts.onResult(result);
    });
    for (const watch of this.watchers) watch();
  }

  /** One event makes the whole batch unacceptable: it is found by halving, and the others go on. */
  private async divide(numbers: readonly number[], error: RefusedBatchError): Promise<boolean> {
    if (numbers.length > 1) {
      const middle = Math.ceil(numbers.length / 2);
      if (await this.deliver(numbers.slice(0, middle))) return await this.deliver(numbers.slice(middle));
      this.tally.lost(this.buffer.failed(numbers.slice(middle)));
      return false;
    }
    const entry = this.buffer.at(numbers[0] ?? -1);
    this.buffer.done(numbers);
    entry?.settle?.(null);
    this.tally.gaveUp(`${entry?.type ?? 'an event'} ${entry?.id ?? ''}`, error.message);
    for (const watch of this.watchers) watch();
    return true;
  }

  private wentAway(error: unknown): void {
    this.failures += 1;
    this.retryAfterMs = error instanceof UnreachableError ? (error.retryAfterMs ?? 0) : 0;
    this.tally.unreachable(error instanceof Error ? error.message : String(error), Date.now());
  }
}
