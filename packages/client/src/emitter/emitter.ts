import type { Client } from '../client.js';
import type { EventResult } from '../contract.js';
import { stderrLogger, type Logger } from '../logger.js';
import { Delivery } from './delivery.js';
import type { Fact } from './fact.js';
import type { EmitterStats } from './tally.js';
import { httpTransport, type Transport } from './transport.js';

export interface EmitterOptions {
  /** Sends over HTTP. Either this or `transport`. */
  readonly client?: Client;
  /** Default: HTTP by `client`. */
  readonly transport?: Transport;
  /** Who says it: the CloudEvents `source`. With the id it must be unique within a job; at most 1,024 bytes. */
  readonly source: string;
  /** Default: the client's, else `default`. */
  readonly namespace?: string;
  /** What may wait while Jobwarden is away. Default 10,000 events and 16 MiB. */
  readonly buffer?: { readonly maxEvents?: number; readonly maxBytes?: number };
  /** How long a fact waits for others to go with it, ms. Default 10. */
  readonly lingerMs?: number;
  /** Default: warnings to standard error. */
  readonly logger?: Logger;
  /** Told what became of each event that was answered, in order. Must not throw. */
  readonly onResult?: (result: EventResult) => void;
}

export interface AskOptions {
  /** Wait until somebody answers, however long that takes, or `signal` is aborted. Default false. */
  readonly wait?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Tells Jobwarden what happens, also while it is away.
 *
 *   tell ──► buffer (bounded) ──batch──► sent, in order ──► acknowledged: forgotten
 *                 ▲                          │
 *                 └── nobody answers: again, after 0.2 s doubling to 5 s, or as Retry-After says
 *
 * Each event keeps the id and the time that it got when it was told, so a copy is a duplicate and changes nothing. One
 * request is under way at a time. What is refused for good as a batch is halved until the culprit is alone. The timers of
 * a service that is away keep no process alive: `await close()` before the end.
 */
export interface Emitter {
  readonly namespace: string;
  readonly source: string;
  /**
   * Never throws and never waits. Where the buffer is full, heartbeats go first, then starts, then jobs and ends whose start
   * has not been heard of, then the oldest; of the heartbeats of one attempt, or of one worker, only the newest is kept.
   */
  tell(fact: Fact): void;
  /**
   * Sends at once what is buffered for the same job, and then the fact. Resolves to what became of it, or to null when
   * nobody answered (it is kept, and sent later), or the way has no answers. While Jobwarden is known to be away it
   * resolves to null at once, and does not try. Never rejects.
   */
  ask(fact: Fact, options?: AskOptions): Promise<EventResult | null>;
  /** Resolves to true once everything told so far is acknowledged, to false when that has not come within the time. */
  flush(withinMs?: number): Promise<boolean>;
  /**
   * Somebody has heard of Jobwarden again, such as by an answer to a beat: what waits is sent now, and not only once its pause is over.
   * Nothing where it is not away, or has said itself when to come again.
   */
  wake(): void;
  /** Flushes, and takes nothing more. Default: within 5,000 ms. Idempotent. */
  close(withinMs?: number): Promise<boolean>;
  stats(): EmitterStats;
}

/** @throws TypeError where neither a client nor a transport is given. */
export function createEmitter(options: EmitterOptions): Emitter {
  const { client, source, logger = stderrLogger } = options;
  const transport = options.transport ?? (client === undefined ? undefined : httpTransport(client));
  if (transport === undefined) throw new TypeError('createEmitter needs a client or a transport');
  const namespace = options.namespace ?? client?.namespace ?? 'default';
  const delivery = new Delivery({
    transport,
    logger,
    identity: { source, namespace },
    bounds: { maxEvents: options.buffer?.maxEvents ?? 10_000, maxBytes: options.buffer?.maxBytes ?? 16 * 1_048_576 },
    lingerMs: options.lingerMs ?? 10,
    onResult: options.onResult ?? (() => undefined),
  });
  return {
    namespace,
    source,
    tell: (fact) => delivery.tell(fact),
    ask: (fact, { wait = false, signal } = {}) => delivery.ask(fact, wait, signal),
    flush: (withinMs = 10_000) => delivery.flush(withinMs),
    wake: () => delivery.wake(),
    close: (withinMs = 5_000) => delivery.close(withinMs),
    stats: () => delivery.stats(),
  };
}
