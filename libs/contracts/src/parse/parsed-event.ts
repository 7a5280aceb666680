import type { Fact, Heartbeat, JobRef, Worker } from '#libs/domain';
import type { QueueStateData, Runtime } from '../schemas/reports.js';
import type { QuarantineReason } from '../vocabulary.js';

/** What intake stamps later, and the wire cannot know. */
type Stamped = 'laneMs' | 'epoch' | 'ownerQueue' | 'claimId';
type Unstamped<F> = F extends unknown ? Omit<F, Stamped> : never;

/** A domain fact as the emitter told it, before intake stamps its lane time, epoch and the queue's ownership. */
export type WireFact = Unstamped<Fact>;
export type WireHeartbeat = Omit<Heartbeat, Stamped>;

/** What leaves `data` for the body store. */
export type BodyRole = 'payload' | 'snapshot' | 'stack' | 'message';

export interface Body {
  readonly role: BodyRole;
  /** SHA-256 of `bytes`, lower-case hex: the `BodyRef.hash` in the fact. */
  readonly hash: string;
  /** After redaction. `payload` and `snapshot` are JSON text, `stack` and `message` plain text; UTF-8. */
  readonly bytes: Uint8Array;
}

interface Read {
  readonly ok: true;
  readonly namespace: string;
  readonly source: string;
  /** CloudEvents `id`. */
  readonly id: string;
  readonly type: string;
  /** Emitter's clock, ms since the epoch; kept as told, however absurd. */
  readonly timeMs?: number;
  readonly traceparent?: string;
  readonly tracestate?: string;
  /**
   * Keyed hash (16 bytes) of type and data before redaction; key order does not matter. Equal for a
   * repeat, different for `id_reused`.
   */
  readonly contentHash: Buffer;
  /**
   * `data` as JSON text to store: redacted, sorted keys, unknown fields kept; payload, snapshot and stack stand in it
   * as `{hash, bytes}`. {@link storedFact} reads it back.
   */
  readonly data: string;
  readonly bodies: readonly Body[];
  /** Unknown extension attributes, redacted. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** Paths that redaction cut, at most 100; empty without rules. */
  readonly redacted: readonly string[];
}

/** A fact about a job: goes to the log. */
export interface ParsedFact extends Read {
  readonly kind: 'fact';
  readonly ref: JobRef;
  readonly fact: WireFact;
}

/** One attempt's heartbeat: goes to the lease table. */
export interface ParsedHeartbeat extends Read {
  readonly kind: 'heartbeat';
  readonly ref: JobRef;
  readonly heartbeat: WireHeartbeat;
}

/** A worker's heartbeat: one per attempt that it runs. */
export interface ParsedWorkerHeartbeat extends Read {
  readonly kind: 'worker-heartbeat';
  /** CloudEvents `subject`. */
  readonly workerId: string;
  readonly worker: Worker;
  readonly beats: readonly { readonly ref: JobRef; readonly heartbeat: WireHeartbeat }[];
  readonly runtime?: Runtime;
}

/** What the native queue says of itself. */
export interface ParsedQueueState extends Read {
  readonly kind: 'queue-state';
  /** CloudEvents `subject`. */
  readonly queue: string;
  readonly state: QueueStateData;
}

/** An event that is not taken. `quarantined`: to be kept with `bytes`; `refused`: only answered. */
export interface Unparsed {
  readonly ok: false;
  readonly disposition: 'quarantined' | 'refused';
  readonly reason: QuarantineReason;
  /** For people: the field's path, what was found, the limit, what to do. Holds no value that a rule would cut. */
  readonly detail: string;
  /** The job that it names, as far as that can be read: verdicts on it are held while it is quarantined. */
  readonly ref?: JobRef;
  /** All jobs that it names: a worker's heartbeat is the only sign of life of several. */
  readonly refs: readonly JobRef[];
  readonly source?: string;
  readonly id?: string;
  readonly type?: string;
  /** The event as JSON text after redaction, for quarantine; {@link parseEvent} of it again replays it. */
  readonly bytes: Uint8Array;
  readonly redacted: readonly string[];
}

export type ReadEvent = ParsedFact | ParsedHeartbeat | ParsedWorkerHeartbeat | ParsedQueueState;
export type ParsedEvent = ReadEvent | Unparsed;
