import type { ClaimRefusalCode, EnqueueCommandData, Invalidates, Position, Worker } from '@jobwarden/client';

/** Why a running attempt is not wanted any more; `signal.reason` is a {@link StoppedError} that has it. */
export type StopReason =
  /** A stop command, such as after a cancel, or the caller's own signal. */
  | 'stop'
  /** A newer attempt is on. */
  | 'superseded'
  /** The job is finished already. */
  | 'finished'
  /** It was taken for hung or lost, or somebody asked: let go, another attempt follows. */
  | 'restart-requested'
  /** It took longer than it may. */
  | 'hard-timeout'
  /** This process is about to end. */
  | 'drain'
  /** This release of the worker is out of service in the queue, and the worker is set to stop then (`whenRefused`). */
  | 'revision-quarantined'
  /** Nobody could be told for a whole lease that it lives, and the worker is set to stop then. */
  | 'lease-lost';

/** One attempt to run, as the queue or an enqueue command has it. */
export interface RunSpec {
  readonly queue: string;
  /** Id of the job: one run of one thing. */
  readonly id: string;
  /** Counts from 1. Default: the command's, else 1. */
  readonly attempt?: number;
  /** The fencing token of the enqueue command that brought it. Default: the command's, else none. */
  readonly token?: number;
  /** What sort of job it is; for metrics and traces. */
  readonly kind?: string;
  /** As it came; `decode` and `validate` are run on it inside the attempt. Default: the command's. */
  readonly payload?: unknown;
  /** The `data` of the enqueue command that asked for this attempt. */
  readonly command?: EnqueueCommandData;
  /** W3C trace context of whoever queued it. Default: the command's. */
  readonly traceparent?: string;
  /** Goes with `traceparent`. */
  readonly tracestate?: string;
  /** Of this attempt, ms; decoding and validating included. Default: the worker's `hardTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Bytes or text to a value. Throwing fails the attempt for good, as `decode`, unless the error says otherwise. */
  readonly decode?: (payload: unknown) => unknown;
  /** Throws, or resolves to what the handler gets. Throwing fails the attempt for good, as `validate`. */
  readonly validate?: (payload: unknown) => unknown;
  /** Cache keys and tags that a success makes untrue. */
  readonly invalidates?: Invalidates | ((value: unknown) => Invalidates | undefined);
  /**
   * Says of an error that the handler has given the job back to its queue itself, to be begun again as the same attempt, and
   * for how long it is away, ms: no end, and no failure. null: it is one. Default: every error is a failure.
   */
  readonly parks?: (error: unknown) => number | null;
  /** The caller's own: when it is aborted, so is the attempt, for the reason `stop`. */
  readonly signal?: AbortSignal;
}

/** What a handler gets. */
export interface Job<P = unknown> {
  readonly queue: string;
  readonly id: string;
  readonly attempt: number;
  /** Hand it to whatever the job writes to, and let that refuse lower ones. undefined: nothing was claimed (yet). */
  readonly token: number | undefined;
  readonly kind: string | undefined;
  /** Decoded and validated. */
  readonly payload: P;
  /** Aborted when the attempt is not wanted any more: stop, and throw. */
  readonly signal: AbortSignal;
  /** How far it got, any JSON. The last is handed to the next attempt. Sent with the next beat; never throws. */
  progress(value: unknown): void;
  readonly previousWorker: Worker | undefined;
  /** What the attempt before reported last. */
  readonly lastProgress: unknown;
  /** Cached values of before this position are not true any more: `readsSince` of the cache guard. */
  readonly invalidation: Position | undefined;
  /** W3C trace context of this attempt's own span, for what the handler calls; where tracing is on. */
  readonly traceparent: string | undefined;
  /** Goes with `traceparent`. */
  readonly tracestate: string | undefined;
}

export type Handler<P = unknown, R = unknown> = (job: Job<P>) => Promise<R> | R;

export type RunResult<R = unknown> =
  | { readonly kind: 'succeeded'; readonly value: R }
  | { readonly kind: 'failed'; readonly error: unknown; readonly retryable: boolean; readonly retryAfterMs?: number }
  /** The handler has given the job back to its queue itself (`parks`). Jobwarden expects it back; of a claimed attempt it has been told that it is let go. */
  | { readonly kind: 'parked'; readonly error: unknown }
  /** It was not wanted any more, and its result does not count. Jobwarden has been told that it is let go. */
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  /** It was never begun. `held`, `paused`, `throttled`, `revision_quarantined`: give it back to the queue, for `retryAfterMs`. `superseded`, `finished`, `retired`: drop it. */
  | { readonly kind: 'refused'; readonly code: ClaimRefusalCode | 'draining'; readonly retryAfterMs?: number };
