import type { StopReason } from './spec.js';

/** The `reason` of a job's aborted signal. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';

  constructor(
    readonly reason: StopReason,
    /** In the words of whoever stopped it. */
    detail = '',
  ) {
    super(`the attempt is not wanted any more: ${reason}${detail === '' ? '' : ` (${detail})`}`);
  }
}

/** Thrown by a handler: no retry will help. */
export class TerminalError extends Error {
  override readonly name: string = 'TerminalError';
  readonly retryable = false;
}

/** Thrown by a handler: not to be tried again before. */
export class RetryLaterError extends Error {
  override readonly name: string = 'RetryLaterError';

  constructor(
    message: string,
    readonly retryAfterMs: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A queue takes nothing in at the moment: `queued` with `whenPaused: 'reject'`. */
export class QueueClosedError extends Error {
  override readonly name = 'QueueClosedError';

  constructor(
    readonly queue: string,
    readonly code: 'paused' | 'throttled',
    /** For a `Retry-After` header, in seconds: `Math.ceil(retryAfterMs / 1000)`. */
    readonly retryAfterMs: number,
  ) {
    super(`the queue ${queue} is ${code}`);
  }
}

/** It took longer than its hard timeout, and was stopped. A retry may help. */
export class HardTimeoutError extends Error {
  override readonly name = 'HardTimeoutError';
  readonly code = 'hard_timeout';

  constructor(afterMs: number, cause?: unknown) {
    super(`the hard timeout has passed after ${String(afterMs)} ms`, { cause });
  }
}

/** The payload could not be decoded, or is not valid. No retry helps, unless the cause says `retryable: true`. */
export class InvalidPayloadError extends Error {
  override readonly name = 'InvalidPayloadError';
  readonly code: 'decode' | 'validate';
  readonly retryable: boolean;

  constructor(step: 'decode' | 'validate', cause: unknown) {
    super(`the payload does not pass ${step}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.code = step;
    this.retryable = cause instanceof Error && 'retryable' in cause && cause.retryable === true;
  }
}
